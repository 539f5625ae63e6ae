package people

import (
	"context"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Inviters returns the account that invited an account, the one that invited that one and so on, up to feed.MaxInviters. Removed accounts are among
// them.
func (s *Store) Inviters(ctx context.Context, id int64) ([]int64, error) {
	all, err := redis.Int64s(s.db.Run(ctx, s.scripts["inviters"], []any{s.keys.inviters()}, []any{id, feed.MaxInviters}))
	return all, core.Wrap(err, "who invited user %d", id)
}

// InvitedBy returns up to limit accounts that an account invited after a cursor, the latest first, and the cursor of the next page. Removed
// accounts are among them.
func (s *Store) InvitedBy(ctx context.Context, id int64, after feed.Cursor, limit int) (all []int64, next feed.Cursor, err error) {
	places, more, err := s.db.Page(ctx, group, s.keys.invited(id), time.Time{}, after, limit)
	if err != nil {
		return nil, next, core.Wrap(err, "whom user %d invited", id)
	}
	for _, p := range places {
		one, _ := strconv.ParseInt(p.Member, 10, 64) // members are numbers
		all = append(all, one)
	}
	if more {
		next = places[len(places)-1]
	}
	return all, next, nil
}
