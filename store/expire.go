package store

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// ExpireAll expires entries of every source: see entry.Store.ExpireSource. It returns how many entries it deleted.
func (s *Store) ExpireAll(ctx context.Context, keep feed.Keep) (total int, err error) {
	sources, err := s.Sources.Sources(ctx)
	for i := 0; i < len(sources) && err == nil; i++ {
		var n int
		n, err = s.Entries.ExpireSource(ctx, &sources[i], keep)
		total += n
	}
	return total, err
}

// TrimSignals removes signals older than keep, except those that a consumer group has not acknowledged or the hub has not
// distributed, and returns how many. The cursor of the hub only moves forward, so it may be read first.
func (s *Store) TrimSignals(ctx context.Context, keep time.Duration) (int, error) {
	cursor, err := s.Hub.HubCursor(ctx)
	if err != nil {
		return 0, core.Wrap(err, "trim signals")
	}
	return s.Signals.TrimSignals(ctx, keep, cursor)
}
