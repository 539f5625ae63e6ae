package store

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// ExpireAll expires entries of every source: see entry.Store.ExpireSource. It returns how many entries it deleted. A source with a
// damaged key does not keep it from the others.
func (s *Store) ExpireAll(ctx context.Context, keep feed.Keep) (total int, err error) {
	sources, err := s.Sources.Sources(ctx)
	if err != nil {
		return 0, err
	}
	for i := range sources {
		n, failed := s.Entries.ExpireSource(ctx, &sources[i], keep)
		total += n
		if failed != nil && !errors.Is(failed, feed.ErrDamaged) {
			return total, failed
		}
		if failed != nil {
			err = s.Sources.Explain(ctx, sources[i].URL, failed)
		}
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

// sweepSize is how many submissions SweepNews reads together.
const sweepSize = 500

// SweepNews marks submissions as deleted whose entries no longer exist, and deletes those that were offered.
func (s *Store) SweepNews(ctx context.Context) error {
	listed := func(ctx context.Context, after feed.Cursor, limit int) ([]feed.Cursor, bool, error) {
		return s.Community.NewsPlaces(ctx, feed.NewsLatest, after, limit)
	}
	if err := s.sweep(ctx, listed); err != nil {
		return err
	}
	return s.sweep(ctx, s.Community.UnlistedPlaces)
}

// sweep is SweepNews for the submissions of which page returns some at a time.
func (s *Store) sweep(ctx context.Context, page func(ctx context.Context, after feed.Cursor, limit int) ([]feed.Cursor, bool, error)) error {
	for after, more := (feed.Cursor{}), true; more; {
		var places []feed.Cursor
		var err error
		if places, more, err = page(ctx, after, sweepSize); err != nil {
			return err
		}
		ids := make([]string, len(places))
		for i, p := range places {
			ids[i], after = "Entry:"+p.Member, p
		}
		found, err := s.Entries.ListedByID(ctx, ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if _, exists := found[id]; exists {
				continue
			}
			if err := s.Community.RemoveNews(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}
