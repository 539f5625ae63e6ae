package signal

import (
	"context"
	"fmt"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// NextSignals returns up to limit signals without their posts for a consumer of a group to handle: first those that it had not
// acknowledged before a restart or a broken connection, then those that any consumer has not acknowledged within
// core.Options.TakeOver, then new ones. If there are none it waits for the first one, at most for wait and never longer than a second.
// A signal is returned until it is acknowledged, to one consumer at a time; it does not block those after it.
func (s *Store) NextSignals(ctx context.Context, group, name string, limit int, wait time.Duration) ([]feed.Signal, error) {
	s.db.MergeOutboxes(ctx)
	g := core.Group{
		DB: s.db, Op: "xreadgroup", Stream: s.db.Signals(), Name: group, Resumed: &s.resumed,
		Idle: func(ctx context.Context) error { return s.revive(ctx, group) },
	}
	records, _, err := g.Next(ctx, name, limit, min(wait, maxWait))
	if err != nil {
		return nil, fmt.Errorf("read signals for %s: %w", group, err)
	}
	return signalsFrom(records), nil
}

// revivable is how many of its oldest signals revive examines: far more than consumers handle at once.
const revivable = 1000

// revive makes sure that signals are taken over within core.Options.TakeOver although the clock of Redis was set back since they were
// read.
func (s *Store) revive(ctx context.Context, group string) error {
	if last, ok := s.revived.Load(group); ok && time.Since(last.(time.Time)) < s.db.Options().TakeOver {
		return nil
	}
	if _, err := s.db.Run(ctx, s.scripts["revive_pending"], []any{s.db.Signals()}, []any{group, revivable}); err != nil {
		return err
	}
	s.revived.Store(group, time.Now())
	return nil
}

// AckSignals acknowledges that a group has handled signals.
func (s *Store) AckSignals(ctx context.Context, name string, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	args := []any{s.db.Signals(), name}
	for _, id := range ids {
		args = append(args, id)
	}
	_, err := s.db.Do(ctx, group, "XACK", args...)
	return core.Wrap(err, "acknowledge signals for %s", name)
}
