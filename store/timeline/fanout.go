package timeline

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	chunkSize      = 500 // followers
	pullFrom       = 50_000
	maxDeadLetters = 1000
	maxWait        = time.Second
)

var chunkFields = core.FieldsOf[feed.Chunk]()

// PlanFanout queues the chunks of the followers whose timelines change with some signals, and updates the lists of posts. If it is
// repeated, so are the chunks, which changes nothing.
func (s *Store) PlanFanout(ctx context.Context, signals []feed.Signal) error {
	if err := s.updatePosts(ctx, signals); err != nil {
		return err
	}
	changes := make(map[string][]feed.Chunk) // by source; without an entry: entries that have no signals of their own
	for _, one := range signals {
		same := func(c feed.Chunk) bool { return c.Entry == one.Entry }
		if (one.IsPost() || !one.Unsignalled.IsZero()) && !slices.ContainsFunc(changes[one.FeedURL], same) {
			changes[one.FeedURL] = append(changes[one.FeedURL], feed.Chunk{FeedURL: one.FeedURL, Entry: one.Entry, Time: one.Time})
		}
	}
	urls := slices.Collect(maps.Keys(changes))
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.ReturnDamage() // a source whose followers cannot be read does not hold up the others
		for _, url := range urls {
			b.Add("ZCARD", s.followers(url))
			b.Add("SISMEMBER", s.pulledKey(), url)
		}
	})
	for _, url := range urls {
		if err == nil {
			err = s.plan(ctx, url, changes[url], r.Count(), r.Count() == 1)
		}
	}
	return core.Wrap(err, "plan the fan-out")
}

// plan queues changes of a source for its followers, unless timelines read the entries of the source itself.
func (s *Store) plan(ctx context.Context, url string, changes []feed.Chunk, count int, pulled bool) error {
	most, command := cmp.Or(s.db.Options().PullFollowers, pullFrom), ""
	switch {
	case pulled && count > most*4/5:
		return nil
	case pulled:
		command = "SREM" // the caches miss its other entries, too
	case count > most:
		command = "SADD" // the caches must not keep its entries, which may move
	case count == 0:
		return nil
	}
	if command != "" {
		changes[0].Entry = "" // drops the caches
		changes = changes[:1]
	}
	firsts, err := s.firsts(ctx, s.followers(url), count)
	if err != nil {
		return err
	}
	var records [][]any
	for _, change := range changes {
		for i, first := range firsts {
			change.First, change.Last = first, 0
			if i+1 < len(firsts) {
				change.Last = firsts[i+1] - 1
			}
			records = append(records, chunkFields.Pairs(&change))
		}
	}
	if command != "" { // all or nothing: a plan that is repeated after a kill would not drop the caches
		args := append([]any{command, url, len(records[0])}, slices.Concat(records...)...)
		_, err = s.db.Run(ctx, s.scripts["switch_pulled"], []any{s.queue(), s.pulledKey()}, args)
		return err
	}
	_, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, record := range records {
			b.Add("XADD", append([]any{s.queue(), "*"}, record...)...)
		}
	})
	return err
}

// firsts returns the id with which each chunk of some followers begins. The first chunk has all lower ids, too: users follow meanwhile.
func (s *Store) firsts(ctx context.Context, followers string, count int) ([]int64, error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for rank := chunkSize; rank < count; rank += chunkSize {
			b.Add("ZRANGE", followers, rank, rank)
		}
	})
	all := []int64{0}
	for len(r) > 0 {
		for _, member := range r.Texts() { // one, or none if others unfollowed meanwhile
			id, _ := strconv.ParseInt(member, 10, 64) // members are ids
			all = append(all, id)
		}
	}
	return slices.Compact(all), err
}

// NextChunks returns up to limit chunks for a worker to apply: first those that it had not finished before a restart or a broken
// connection, then those that any worker has not finished within core.Options.TakeOver, then new ones. If there are none it waits for the
// first one, at most for wait. A chunk is returned until it is finished or buried, to one worker at a time.
func (s *Store) NextChunks(ctx context.Context, worker string, limit int, wait time.Duration) ([]feed.Chunk, error) {
	g := core.Group{DB: s.db, Op: group, Stream: s.queue(), Name: fanoutName, Resumed: &s.resumed}
	records, again, err := g.Next(ctx, worker, limit, min(wait, maxWait))
	chunks := chunksFrom(records)
	if err == nil && again {
		if err = s.countTries(ctx, chunks); err != nil {
			g.Forget(worker)
		}
	}
	return chunks, core.Wrap(err, "read chunks of the fan-out")
}

// countTries sets how often chunks were returned.
func (s *Store) countTries(ctx context.Context, chunks []feed.Chunk) error {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, c := range chunks {
			b.Add("XPENDING", s.queue(), fanoutName, c.ID, c.ID, 1)
		}
	})
	for i := range r {
		if pending, _ := redis.Values(r[i], nil); len(pending) == 1 {
			about, _ := redis.Values(pending[0], nil) // id, worker, idle time, how often it was returned
			if len(about) == 4 {
				chunks[i].Tries, _ = redis.Int(about[3], nil)
			}
		}
	}
	return err
}

func chunksFrom(records []core.Record) []feed.Chunk {
	all := make([]feed.Chunk, len(records))
	for i, r := range records {
		all[i] = feed.Chunk{ID: r.ID, Tries: 1}
		chunkFields.Read(r.Fields, &all[i])
	}
	return all
}

// ApplyChunk brings the caches of the followers in a chunk in line with the source of its entry, and returns how many it changed.
// Chunks of an entry can be applied in any order and at the same time: what counts is the state of the entry, not the signal.
func (s *Store) ApplyChunk(ctx context.Context, c feed.Chunk) (changed int, err error) {
	last := "+inf"
	if c.Last > 0 {
		last = strconv.FormatInt(c.Last, 10)
	}
	number := strings.TrimPrefix(c.Entry, entryPrefix)
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("ZRANGEBYSCORE", s.followers(c.FeedURL), c.First, last)
		if c.Entry != "" {
			s.entries.QueryTimestamps(b, c.FeedURL, []string{number})
		}
	})
	if err != nil {
		return 0, core.Wrap(err, "followers of %s", c.FeedURL)
	}
	ids := r.Texts()
	if len(ids) == 0 {
		return 0, nil
	}
	if c.Entry == "" {
		changed, err = s.forCaches(ctx, "drop_caches", ids)
		return changed, core.Wrap(err, "drop timelines of followers of %s", c.FeedURL)
	}
	ref, at := feed.EntryRef{FeedURL: c.FeedURL, ID: c.Entry}, r.Texts()[0]
	for err == nil {
		var n int
		if n, err = s.forCaches(ctx, "apply_chunk", ids, c.FeedURL, number, at, cacheSize, seconds(cacheTTL)); err != nil {
			break
		}
		changed += n
		// Another worker may have applied a later state of the entry between the read and the write.
		before := at
		if at, err = s.entries.Place(ctx, ref); at == before {
			break
		}
	}
	return changed, core.Wrap(err, "apply %s to timelines", c.Entry)
}

// forCaches runs a script for the caches of users, and returns the sum of its replies.
func (s *Store) forCaches(ctx context.Context, script string, ids []string, args ...any) (sum int, err error) {
	calls := make(map[core.Keyspace]*core.Invocation)
	for _, id := range ids {
		user, _ := strconv.ParseInt(id, 10, 64) // it is a number
		k := s.db.User(user)
		call := calls[k]
		if call == nil {
			call = &core.Invocation{Keys: []any{s.of(user).cache()}, Args: append([]any{k.Prefix()}, args...)}
			calls[k] = call
		}
		call.Args = append(call.Args, id)
	}
	var all []core.Invocation
	for _, call := range calls {
		all = append(all, *call)
	}
	replies, err := redis.Ints(s.db.RunMany(ctx, s.scripts[script], all))
	for _, n := range replies {
		sum += n
	}
	return sum, err
}

// FinishChunk removes a chunk that was applied.
func (s *Store) FinishChunk(ctx context.Context, c feed.Chunk) error {
	_, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("XACK", s.queue(), fanoutName, c.ID)
		b.Add("XDEL", s.queue(), c.ID)
	})
	return core.Wrap(err, "finish chunk %s", c.ID)
}

// BuryChunk moves a chunk that cannot be applied to the dead letters. It drops the caches of its followers, unless these cannot be read:
// the next read of each builds it with the entry.
func (s *Store) BuryChunk(ctx context.Context, c feed.Chunk) error {
	all := c
	all.Entry = ""
	if _, err := s.ApplyChunk(ctx, all); errors.Is(err, feed.ErrUnavailable) {
		return err
	}
	_, err := s.db.Run(ctx, s.scripts["bury_chunk"], []any{s.queue(), s.dead()}, []any{fanoutName, c.ID, maxDeadLetters})
	return core.Wrap(err, "bury chunk %s", c.ID)
}

// FanoutState returns the state of the queue.
func (s *Store) FanoutState(ctx context.Context) (state feed.FanoutState, err error) {
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("XLEN", s.queue())
		b.Add("XRANGE", s.queue(), "-", "+", "COUNT", 1)
		b.Add("XLEN", s.dead())
		b.Add("SCARD", s.pulledKey())
	})
	if err != nil {
		return state, core.Wrap(err, "read the state of the fan-out")
	}
	state.Waiting = r.Count()
	for _, oldest := range r.Records() {
		state.Oldest = oldest.Time()
	}
	state.Dead, state.Pulled = r.Count(), r.Count()
	return state, nil
}
