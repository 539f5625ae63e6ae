package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// NextSignals are the signals a consumer of a group has to handle: first those that it took and never acknowledged before
// a restart or a broken connection, then those that any consumer left unacknowledged for Options.TakeOver, then new
// ones, for which it waits, never longer than a second. Each signal comes until it is acknowledged, to one consumer of
// the group at a time; one that cannot be handled now does not keep the others back.
func (s *Store) NextSignals(
	ctx context.Context, group, consumer string, limit int, wait time.Duration,
) ([]feed.Signal, error) {
	s.gatherAll(ctx)
	records, err := s.nextRecords(ctx, group, consumer, limit, min(wait, longestWait))
	if err != nil && strings.Contains(err.Error(), "NOGROUP") {
		if err = s.createGroup(ctx, group); err == nil {
			records, err = s.nextRecords(ctx, group, consumer, limit, min(wait, longestWait))
		}
	}
	if err != nil {
		s.resumed.Delete(group + " " + consumer) // what was on its way is taken, and not known here
		return nil, fmt.Errorf("read signals for %s: %w", group, err)
	}
	return s.signals(ctx, records, s.loadEntries)
}

func (s *Store) nextRecords(
	ctx context.Context, group, consumer string, limit int, wait time.Duration,
) ([]record, error) {
	if _, resumed := s.resumed.Load(group + " " + consumer); !resumed {
		records, err := s.readGroup(ctx, group, consumer, "0", limit, 0)
		if err != nil {
			return nil, err
		}
		s.resumed.Store(group+" "+consumer, true)
		if len(records) > 0 {
			return records, nil
		}
	}
	reply, err := redis.Values(s.call(ctx, "xreadgroup", func(c redis.Conn) (any, error) {
		return c.Do("XAUTOCLAIM", s.keys.signals(), group, consumer, s.opts.TakeOver.Milliseconds(), "0-0", "COUNT", limit)
	}))
	if err != nil {
		return nil, err
	}
	if len(reply) < 2 {
		return nil, fmt.Errorf("XAUTOCLAIM answered %d values", len(reply))
	}
	records, err := parseRecords(reply[1])
	if err != nil || len(records) > 0 {
		return records, err
	}
	return s.readGroup(ctx, group, consumer, ">", limit, wait)
}

// readGroup reads from an id on: "0" what this consumer has taken, ">" what nobody has.
func (s *Store) readGroup(
	ctx context.Context, group, consumer, id string, limit int, wait time.Duration,
) ([]record, error) {
	args := []any{"GROUP", group, consumer, "COUNT", limit}
	if wait > 0 {
		args = append(args, "BLOCK", wait.Milliseconds())
	}
	reply, err := s.doFor(ctx, wait, "XREADGROUP", append(args, "STREAMS", s.keys.signals(), id)...)
	if err != nil {
		return nil, err
	}
	return streamRecords(reply)
}

// createGroup makes a group that starts with the oldest signal kept.
func (s *Store) createGroup(ctx context.Context, group string) error {
	_, err := s.call(ctx, "xreadgroup", func(c redis.Conn) (any, error) {
		return c.Do("XGROUP", "CREATE", s.keys.signals(), group, "0", "MKSTREAM")
	})
	if err != nil && strings.Contains(err.Error(), "BUSYGROUP") { // another daemon made it just now
		return nil
	}
	return err
}

// AckSignals says that a group has handled signals.
func (s *Store) AckSignals(ctx context.Context, group string, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	args := []any{s.keys.signals(), group}
	for _, id := range ids {
		args = append(args, id)
	}
	if _, err := s.do(ctx, "XACK", args...); err != nil {
		return fmt.Errorf("acknowledge signals for %s: %w", group, err)
	}
	return nil
}

// TrimSignals drops signals older than keep, but none that a group has not acknowledged or the hub not distributed yet: a
// length limit would drop those of a slow reader without a word. It returns how many were dropped.
func (s *Store) TrimSignals(ctx context.Context, keep time.Duration) (int, error) {
	dropped, err := redis.Int(s.call(ctx, "trim_signals", func(c redis.Conn) (any, error) {
		floor := strconv.FormatInt(s.opts.Now().Add(-keep).UnixMilli(), 10) + "-0"
		if at, err := redis.String(c.Do("GET", s.keys.hub("cursor"))); err == nil && idLess(at, floor) {
			floor = at
		} else if err != nil && !errors.Is(err, redis.ErrNil) {
			return nil, err
		}
		groups, err := redis.Values(c.Do("XINFO", "GROUPS", s.keys.signals()))
		if err != nil && strings.Contains(err.Error(), "no such key") {
			return int64(0), nil
		}
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			oldest, err := oldestUnread(c, s.keys.signals(), g)
			if err != nil {
				return nil, err
			}
			if idLess(oldest, floor) {
				floor = oldest
			}
		}
		return c.Do("XTRIM", s.keys.signals(), "MINID", floor)
	}))
	if err != nil {
		return 0, fmt.Errorf("trim signals: %w", err)
	}
	return dropped, nil
}

// oldestUnread is the lowest id a group still needs, given its element of XINFO GROUPS.
func oldestUnread(c redis.Conn, key string, info any) (string, error) {
	fields, err := groupFields(info)
	if err != nil {
		return "", err
	}
	pending, err := redis.Values(c.Do("XPENDING", key, fields["name"]))
	if err != nil {
		return "", err
	}
	if len(pending) > 1 && pending[1] != nil {
		return redis.String(pending[1], nil)
	}
	return fields["last-delivered-id"], nil
}

// groupFields are the fields of one element of XINFO GROUPS: texts and numbers, and empty what is neither.
func groupFields(info any) (map[string]string, error) {
	flat, err := redis.Values(info, nil)
	if err != nil {
		return nil, err
	}
	fields := make(map[string]string, len(flat)/2)
	for i := 0; i+1 < len(flat); i += 2 {
		name, err := redis.String(flat[i], nil)
		if err != nil {
			return nil, err
		}
		switch value := flat[i+1].(type) {
		case []byte:
			fields[name] = string(value)
		case int64:
			fields[name] = strconv.FormatInt(value, 10)
		}
	}
	return fields, nil
}

// idLess compares stream ids, "ms-seq".
func idLess(a, b string) bool {
	ams, aseq := splitID(a)
	bms, bseq := splitID(b)
	return ams < bms || ams == bms && aseq < bseq
}

func splitID(id string) (ms, seq uint64) {
	left, right, _ := strings.Cut(id, "-")
	ms, _ = strconv.ParseUint(left, 10, 64)   // a Redis id always parses
	seq, _ = strconv.ParseUint(right, 10, 64) // absent: 0
	return ms, seq
}
