package signal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// consumer is one reader of a consumer group.
type consumer struct{ group, name string }

// NextSignals returns up to limit signals without their posts for a consumer of a group to handle: first those that it had not acknowledged before a
// restart or a broken connection, then those that any consumer has not acknowledged within core.Options.TakeOver, then new ones. If
// there are none it waits for the first one, at most for wait and never longer than a second. A signal is returned until it is
// acknowledged, to one consumer at a time; it does not block those after it.
func (s *Store) NextSignals(ctx context.Context, group, name string, limit int, wait time.Duration) ([]feed.Signal, error) {
	s.db.MergeOutboxes(ctx)
	c, wait := consumer{group, name}, min(wait, maxWait)
	records, err := s.next(ctx, c, limit, wait)
	if err != nil && strings.Contains(err.Error(), "NOGROUP") {
		if err = s.createGroup(ctx, group); err == nil {
			records, err = s.next(ctx, c, limit, wait)
		}
	}
	if err != nil {
		s.resumed.Delete(c) // Redis may have assigned signals to the consumer in the lost reply
		return nil, fmt.Errorf("read signals for %s: %w", group, err)
	}
	return signalsFrom(records), nil
}

func (s *Store) next(ctx context.Context, c consumer, limit int, wait time.Duration) ([]core.Record, error) {
	if _, resumed := s.resumed.Load(c); !resumed {
		records, err := s.readGroup(ctx, c, "0", limit, 0)
		if err != nil {
			return nil, err
		}
		s.resumed.Store(c, true)
		if len(records) > 0 {
			return records, nil
		}
	}
	if err := s.revive(ctx, c.group); err != nil {
		return nil, err
	}
	reply, err := redis.Values(s.db.Do(ctx, "xreadgroup", "XAUTOCLAIM",
		s.db.Signals(), c.group, c.name, s.db.Options().TakeOver.Milliseconds(), core.NoSignal, "COUNT", limit))
	if err != nil {
		return nil, err
	}
	if len(reply) < 2 {
		return nil, fmt.Errorf("XAUTOCLAIM returned %d values", len(reply))
	}
	records, err := core.Records(reply[1], nil)
	if err != nil || len(records) > 0 {
		return records, err
	}
	return s.readGroup(ctx, c, ">", limit, wait)
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

// readGroup reads signals of a group. The id "0" selects those that the consumer has not acknowledged, ">" those that no consumer
// has read.
func (s *Store) readGroup(ctx context.Context, c consumer, id string, limit int, wait time.Duration) ([]core.Record, error) {
	args := []any{"GROUP", c.group, c.name, "COUNT", limit}
	if wait > 0 {
		args = append(args, "BLOCK", wait.Milliseconds())
	}
	return core.StreamRecords(s.db.DoBlocking(ctx, "xreadgroup", wait, "XREADGROUP", append(args, "STREAMS", s.db.Signals(), id)...))
}

// createGroup creates a group that begins with the oldest stored signal.
func (s *Store) createGroup(ctx context.Context, name string) error {
	_, err := s.db.Do(ctx, "xreadgroup", "XGROUP", "CREATE", s.db.Signals(), name, "0", "MKSTREAM")
	if err != nil && strings.Contains(err.Error(), "BUSYGROUP") { // another daemon has just created it
		return nil
	}
	return err
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
