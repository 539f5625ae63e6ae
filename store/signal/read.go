package signal

import (
	"cmp"
	"context"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Signals returns up to limit signals after an id ("" for the oldest stored), oldest first, with the posts in their current state.
// If there are none it waits for the first one, at most for wait and never longer than a second.
func (s *Store) Signals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error) {
	all, err := s.BareSignals(ctx, after, limit, wait)
	if err != nil {
		return nil, err
	}
	return all, s.LoadPosts(ctx, all)
}

// BareSignals is Signals without the posts.
func (s *Store) BareSignals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error) {
	s.db.MergeOutboxes(ctx)
	wait = min(wait, maxWait)
	args := []any{"COUNT", limit}
	if wait > 0 {
		args = append(args, "BLOCK", wait.Milliseconds())
	}
	records, err := core.StreamRecords(s.db.DoBlocking(ctx, "xread", wait, "XREAD", append(args, "STREAMS", s.db.Signals(), cmp.Or(after, "0"))...))
	return signalsFrom(records), core.Wrap(err, "read signals")
}

// LoadPosts adds the posts to signals, in their current state.
func (s *Store) LoadPosts(ctx context.Context, all []feed.Signal) error {
	return s.addPosts(ctx, all, s.posts.LoadEntries)
}

// LastSignal returns the id of the newest signal; "0-0" if none is stored.
func (s *Store) LastSignal(ctx context.Context) (string, error) {
	s.db.MergeOutboxes(ctx)
	last, err := s.records(ctx, "XREVRANGE", "+", "-", "COUNT", 1)
	if err != nil || len(last) == 0 {
		return core.NoSignal, core.Wrap(err, "read the last signal")
	}
	return last[0].ID, nil
}
