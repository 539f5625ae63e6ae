package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// longestWait bounds how long a read blocks for new signals: a read under way cannot be called off, and a daemon that
// stops waits for it.
const longestWait = time.Second

// Signals are the signals after an id, "" for the oldest kept, oldest first, with the posts as they are now. Where there
// are none it waits for the first one, at most for the given time and never longer than a second. It may give fewer
// than limit.
func (s *Store) Signals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error) {
	all, err := s.BareSignals(ctx, after, limit, wait)
	if err != nil {
		return nil, err
	}
	return all, s.LoadPosts(ctx, all)
}

// BareSignals are Signals without the posts.
func (s *Store) BareSignals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error) {
	s.gatherAll(ctx)
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
	return signalsFrom(records), nil
}

// LoadPosts puts the posts of signals into them, as they are now.
func (s *Store) LoadPosts(ctx context.Context, signals []feed.Signal) error {
	return putPosts(ctx, signals, s.loadEntries)
}

// RecentSignals are the newest signals, newest first, with the posts as they are now but for their content.
func (s *Store) RecentSignals(ctx context.Context, limit int) ([]feed.Signal, error) {
	records, err := s.lastRecords(ctx, limit)
	if err != nil {
		return nil, err
	}
	return s.signals(ctx, records, s.loadHeadlines)
}

// LastSignal is the id of the newest signal; "0-0" when none is kept.
func (s *Store) LastSignal(ctx context.Context) (string, error) {
	records, err := s.lastRecords(ctx, 1)
	if err != nil || len(records) == 0 {
		return noSignal, err
	}
	return records[0].id, nil
}

func (s *Store) lastRecords(ctx context.Context, limit int) ([]record, error) {
	s.gatherAll(ctx)
	reply, err := s.call(ctx, "last_signals", func(c redis.Conn) (any, error) {
		return c.Do("XREVRANGE", s.keys.signals(), "+", "-", "COUNT", limit)
	})
	if err != nil {
		return nil, fmt.Errorf("read last signals: %w", err)
	}
	return parseRecords(reply)
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

// time is when the record was added, by the clock of the server.
func (r *record) time() time.Time {
	ms, _ := splitID(r.id)
	return time.UnixMilli(int64(ms))
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

// signals turns records into signals, reading the posts by load in one pipeline.
func (s *Store) signals(
	ctx context.Context, records []record, load func(context.Context, []entryRef) ([]feed.Entry, error),
) ([]feed.Signal, error) {
	all := signalsFrom(records)
	return all, putPosts(ctx, all, load)
}

// signalsFrom reads records of the outbox.
func signalsFrom(records []record) []feed.Signal {
	if len(records) == 0 {
		return nil
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
		sig.Held.Created, _ = strconv.Atoi(f["held_created"]) // absent: 0
		sig.Held.Modified, _ = strconv.Atoi(f["held_modified"])
		all = append(all, sig)
	}
	return all
}

// putPosts puts the posts of signals into them.
func putPosts(ctx context.Context, all []feed.Signal, load func(context.Context, []entryRef) ([]feed.Entry, error)) error {
	posts, err := load(ctx, postsOf(all))
	if err != nil {
		return err
	}
	joinPosts(all, posts)
	return nil
}

// postsOf are the entries that signals are about.
func postsOf(all []feed.Signal) (refs []entryRef) {
	for i := range all {
		if all[i].Entry != "" {
			refs = append(refs, entryRef{all[i].FeedURL, all[i].Entry})
		}
	}
	return refs
}

// joinPosts puts each post into the signals that are about it.
func joinPosts(all []feed.Signal, posts []feed.Entry) {
	byID := make(map[string]*feed.Entry, len(posts))
	for i := range posts {
		byID[posts[i].ID] = &posts[i]
	}
	for i := range all {
		// An id that was given away anew, after the store lost its last second, names another post.
		if p := byID[all[i].Entry]; p != nil && p.GUID == all[i].GUID && p.FeedURL == all[i].FeedURL {
			all[i].Post = p
		}
	}
}
