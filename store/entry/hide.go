package entry

import (
	"context"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// HideEntry takes an entry out of the lists of its source, so that only its author reads it, or puts it back. It appends no signal: subscribers
// who have the entry keep it. feed.ErrNotFound: there is no such entry.
func (s *Store) HideEntry(ctx context.Context, ref feed.EntryRef, hidden bool) error {
	k := s.of(ref.FeedURL)
	exists, err := redis.Bool(s.db.Run(ctx, s.scripts["hide_entry"], []any{k.entry(ref.ID), k.sort()}, []any{ref.ID, core.Bit(hidden)}))
	return core.Wrap(core.Unless(exists, err, feed.ErrNotFound), "hide %s", ref.ID)
}
