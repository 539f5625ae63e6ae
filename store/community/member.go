package community

import (
	"context"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// karmaEvery is how often a member who uses the site gets karma.
const karmaEvery = time.Hour

// VisitCommunity counts that a member uses the site, who gets one karma an hour for that. It is a no-op if the account was removed.
func (s *Store) VisitCommunity(ctx context.Context, user int64) error {
	_, err := s.db.Run(ctx, s.scripts["visit"], []any{s.keys().user(user)}, []any{core.Stamp(s.db.Now()), karmaEvery.Seconds()})
	return core.Wrap(err, "karma of user %d", user)
}

// Member returns what the community knows about an account. feed.ErrNotFound: there is no such account.
func (s *Store) Member(ctx context.Context, user int64) (m feed.Member, err error) {
	words, err := redis.Strings(s.db.Do(ctx, group, "HMGET", s.keys().user(user), "id", "karma", "replies"))
	if err == nil {
		m.Karma = 1
		if words[1] != "" {
			m.Karma, _ = strconv.Atoi(words[1])
		}
		m.Replies, _ = strconv.Atoi(words[2]) // empty: none
	}
	return m, core.Wrap(core.Unless(err != nil || words[0] != "", err, feed.ErrNotFound), "member %d", user)
}
