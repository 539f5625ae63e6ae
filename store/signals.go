package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// takeOverAfter is how long a signal may stay unacknowledged before another reader of its group takes it: its reader is
// dead or stuck.
const takeOverAfter = 30 * time.Second

// longestWait bounds how long a read blocks for new signals: a read under way cannot be called off, and a daemon that
// stops waits for it.
const longestWait = time.Second

// Signals are the signals after an id, "" for the oldest kept, oldest first, with the posts as they are now. Where there
// are none it waits for the first one, at most for the given time and never longer than a second. It may give fewer
// than limit.
func (s *Store) Signals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error) {
	if after == "" {
		after = "0"
	}
	wait = min(wait, longestWait)
	args := []any{"COUNT", limit}
	if wait > 0 {
		args = append(args, "BLOCK", wait.Milliseconds())
	}
	reply, err := s.doFor(ctx, wait, "XREAD", append(args, "STREAMS", s.keys.signals(), after)...)
	if err != nil {
		return nil, fmt.Errorf("read signals: %w", err)
	}
	records, err := streamRecords(reply)
	if err != nil {
		return nil, fmt.Errorf("read signals: %w", err)
	}
	return s.signals(ctx, records)
}

// RecentSignals are the newest signals, newest first, with the posts as they are now.
func (s *Store) RecentSignals(ctx context.Context, limit int) ([]feed.Signal, error) {
	records, err := s.lastRecords(ctx, limit)
	if err != nil {
		return nil, err
	}
	return s.signals(ctx, records)
}

// LastSignal is the id of the newest signal; "0-0" when none is kept.
func (s *Store) LastSignal(ctx context.Context) (string, error) {
	records, err := s.lastRecords(ctx, 1)
	if err != nil || len(records) == 0 {
		return "0-0", err
	}
	return records[0].id, nil
}

func (s *Store) lastRecords(ctx context.Context, limit int) ([]record, error) {
	reply, err := s.call(ctx, "last_signals", func(c redis.Conn) (any, error) {
		return c.Do("XREVRANGE", s.keys.signals(), "+", "-", "COUNT", limit)
	})
	if err != nil {
		return nil, fmt.Errorf("read last signals: %w", err)
	}
	return parseRecords(reply)
}

// NextSignals are the signals a consumer of a group has to handle: first those that it, or a reader that died, took and
// never acknowledged, then new ones, for which it waits, never longer than a second. Each signal comes until it is acknowledged, to one consumer of
// the group at a time.
func (s *Store) NextSignals(
	ctx context.Context, group, consumer string, limit int, wait time.Duration,
) ([]feed.Signal, error) {
	read := func(id string, wait time.Duration) ([]record, error) {
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
	records, err := read("0", 0)
	if err != nil && strings.Contains(err.Error(), "NOGROUP") {
		if err = s.createGroup(ctx, group); err == nil {
			records, err = read("0", 0)
		}
	}
	if err == nil && len(records) == 0 {
		records, err = s.takeOver(ctx, group, consumer, limit)
	}
	if err == nil && len(records) == 0 {
		records, err = read(">", min(wait, longestWait))
	}
	if err != nil {
		return nil, fmt.Errorf("read signals for %s: %w", group, err)
	}
	return s.signals(ctx, records)
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

func (s *Store) takeOver(ctx context.Context, group, consumer string, limit int) ([]record, error) {
	reply, err := redis.Values(s.call(ctx, "xreadgroup", func(c redis.Conn) (any, error) {
		return c.Do("XAUTOCLAIM", s.keys.signals(), group, consumer, takeOverAfter.Milliseconds(), "0-0", "COUNT", limit)
	}))
	if err != nil || len(reply) < 2 {
		return nil, err
	}
	return parseRecords(reply[1])
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

// TrimSignals drops signals older than keep, but none that a group has not acknowledged yet: a length limit would drop
// those of a slow reader without a word. It returns how many were dropped.
func (s *Store) TrimSignals(ctx context.Context, keep time.Duration) (int, error) {
	dropped, err := redis.Int(s.call(ctx, "trim_signals", func(c redis.Conn) (any, error) {
		floor := strconv.FormatInt(s.opts.Now().Add(-keep).UnixMilli(), 10) + "-0"
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
	flat, err := redis.Values(info, nil)
	if err != nil {
		return "", err
	}
	fields := make(map[string]string, len(flat)/2)
	for i := 0; i+1 < len(flat); i += 2 {
		name, err := redis.String(flat[i], nil)
		if err != nil {
			return "", err
		}
		fields[name] = fmt.Sprintf("%s", flat[i+1])
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

// record is one element of a stream.
type record struct {
	id     string
	fields map[string]string
}

// streamRecords reads the answer of XREAD and XREADGROUP for one stream; nil when the wait ended with nothing.
func streamRecords(reply any) ([]record, error) {
	streams, err := redis.Values(reply, nil)
	if errors.Is(err, redis.ErrNil) || err == nil && len(streams) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stream, err := redis.Values(streams[0], nil)
	if err != nil || len(stream) != 2 {
		return nil, fmt.Errorf("unexpected answer with %d parts: %w", len(stream), err)
	}
	return parseRecords(stream[1])
}

func parseRecords(reply any) ([]record, error) {
	list, err := redis.Values(reply, nil)
	if errors.Is(err, redis.ErrNil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	records := make([]record, 0, len(list))
	for _, item := range list {
		if item == nil { // claimed, but trimmed since
			continue
		}
		pair, err := redis.Values(item, nil)
		if err != nil || len(pair) != 2 {
			return nil, fmt.Errorf("unexpected record with %d parts: %w", len(pair), err)
		}
		id, err := redis.String(pair[0], nil)
		if err != nil {
			return nil, err
		}
		fields, err := redis.StringMap(pair[1], nil)
		if err != nil && !errors.Is(err, redis.ErrNil) { // nil: pending, but trimmed since
			return nil, err
		}
		records = append(records, record{id, fields})
	}
	return records, nil
}

// signals turns records into signals, reading the posts in one pipeline.
func (s *Store) signals(ctx context.Context, records []record) ([]feed.Signal, error) {
	if len(records) == 0 {
		return nil, nil
	}
	var ids []string
	for _, r := range records {
		if id := r.fields["entry"]; id != "" {
			ids = append(ids, id)
		}
	}
	posts, err := s.loadEntries(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*feed.Entry, len(posts))
	for i := range posts {
		byID[posts[i].ID] = &posts[i]
	}
	all := make([]feed.Signal, 0, len(records))
	for _, r := range records {
		f := r.fields
		sig := feed.Signal{
			ID: r.id, Kind: feed.SignalKind(f["kind"]), FeedURL: f["feed_url"], GUID: f["guid"], Entry: f["entry"],
			Digest: f["digest"], Time: feed.ParseTime(f["time"]),
		}
		if text := f["changed"]; text != "" {
			_ = json.Unmarshal([]byte(text), &sig.Changed) // without its diff a signal is still better than none
		}
		// An id that was given away anew, after the store lost its last second, names another post.
		if p := byID[sig.Entry]; p != nil && p.GUID == sig.GUID && p.FeedURL == sig.FeedURL {
			sig.Post = p
		}
		all = append(all, sig)
	}
	return all, nil
}
