package signal

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// TrimSignals removes signals older than keep, except those that a group has not acknowledged and those from the id floor on ("" for
// none), and returns how many. A limit of the number of signals would remove those of a slow reader without notice.
func (s *Store) TrimSignals(ctx context.Context, keep time.Duration, floor string) (int, error) {
	removed, err := redis.Int(s.db.Call(ctx, group, func(c redis.Conn) (any, error) {
		lowest := strconv.FormatInt(s.db.Now().Add(-keep).UnixMilli(), 10) + "-0"
		if floor != "" && feed.SignalLess(floor, lowest) {
			lowest = floor
		}
		groups, err := s.positions(c)
		if err != nil {
			return nil, err
		}
		for _, p := range groups {
			if feed.SignalLess(p.id, lowest) {
				lowest = p.id
			}
		}
		return c.Do("XTRIM", s.db.Signals(), "MINID", lowest)
	}))
	return removed, core.Wrap(err, "trim signals")
}

// OutboxState counts the stored signals and returns the time of the oldest one that a group has not acknowledged.
func (s *Store) OutboxState(ctx context.Context) (state feed.OutboxState, err error) {
	s.db.MergeOutboxes(ctx)
	_, err = s.db.Call(ctx, group, func(c redis.Conn) (any, error) {
		state = feed.OutboxState{} // the call may be repeated
		if state.Stored, err = redis.Int(c.Do("XLEN", s.db.Signals())); err != nil {
			return nil, err
		}
		groups, err := s.positions(c)
		for _, p := range groups {
			oldest := []core.Record{{ID: p.id}}
			if !p.pending {
				if oldest, err = core.Records(c.Do("XRANGE", s.db.Signals(), "("+p.id, "+", "COUNT", 1)); err != nil {
					return nil, err
				}
			}
			if len(oldest) > 0 {
				state.OldestPending = core.Sooner(state.OldestPending, oldest[0].Time())
			}
		}
		return nil, err
	})
	return state, core.Wrap(err, "read the state of the outbox")
}

// position is the lowest id that a consumer group has not acknowledged (pending), or the last id that it has read.
type position struct {
	id      string
	pending bool
}

// positions returns the positions of all groups; none if the outbox does not exist yet.
func (s *Store) positions(c redis.Conn) (all []position, err error) {
	groups, err := core.Infos(c.Do("XINFO", "GROUPS", s.db.Signals()))
	if err != nil && strings.Contains(err.Error(), "no such key") {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, fields := range groups {
		summary, err := redis.Values(c.Do("XPENDING", s.db.Signals(), fields["name"]))
		if err != nil {
			return nil, err
		}
		p := position{id: fields["last-delivered-id"]}
		if len(summary) > 1 && summary[1] != nil {
			p.pending = true
			if p.id, err = redis.String(summary[1], nil); err != nil {
				return nil, err
			}
		}
		all = append(all, p)
	}
	return all, nil
}
