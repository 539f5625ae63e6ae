package entry

import (
	"context"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// SaveFor makes an entry stay as long as a user has saved it. feed.ErrNotFound: it does not exist.
func (s *Store) SaveFor(ctx context.Context, ref feed.EntryRef, user int64) error {
	k := s.of(ref.FeedURL)
	saved, err := redis.Bool(s.db.Run(ctx, s.scripts["save_for"], []any{k.entry(ref.ID), k.saved()}, []any{ref.ID, user}))
	return core.Wrap(core.Unless(saved, err, feed.ErrNotFound), "save %s", ref.ID)
}

// UnsaveFor reverts SaveFor. An entry that has expired is deleted if no other user has saved it.
func (s *Store) UnsaveFor(ctx context.Context, ref feed.EntryRef, user int64) error {
	k := s.of(ref.FeedURL)
	_, err := s.db.Run(ctx, s.scripts["unsave_for"], []any{k.entry(ref.ID), k.saved()}, []any{ref.ID, user})
	return core.Wrap(err, "unsave %s", ref.ID)
}
