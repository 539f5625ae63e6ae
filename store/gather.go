package store

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Where sources are in several parts, what they signal is written into the outbox of their part, in the same script as what
// they signal about. From there it is gathered: moved to the stream that everybody reads, in the order of the outbox and each
// signal once, however many daemons gather and whenever one is killed.
const (
	gatherAtOnce = 200         // records that are moved by one script
	gatherEvery  = time.Second // how often a daemon looks into all outboxes at most
	keepGathered = time.Minute // how long what was moved stays in its outbox: a fail-over may lose where it was moved to
)

// gatherer is what a daemon knows of the cursors of the parts.
type gatherer struct {
	looking sync.Mutex // held by the one that looks into all outboxes, and for looked and moved
	looked  time.Time  // when that was last
	moved   []mark     // by part: what was moved a while ago

	mu      sync.Mutex
	cursors []string // by part, as they were last seen; they may have gone on, or back
}

// mark is a cursor and when it was seen.
type mark struct {
	cursor string
	seen   time.Time
}

func newGatherer(parts int) *gatherer {
	g := &gatherer{moved: make([]mark, parts), cursors: make([]string, parts)}
	for i := range g.cursors {
		g.cursors[i] = noSignal
	}
	return g
}

// noSignal is an id before all others.
const noSignal = "0-0"

func (g *gatherer) cursor(p part) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cursors[p.number]
}

func (g *gatherer) see(p part, cursor string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cursors[p.number] = cursor
}

// gather moves what a part has just signalled. Should it fail, or the daemon be killed before it, a reader does it.
func (s *Store) gather(ctx context.Context, p part) {
	if !s.keys.partitioned() {
		return
	}
	if err := s.gatherFrom(ctx, p); err != nil {
		s.opts.Logger.Debug("signals stay in their part for now", "part", p.prefix, "err", err)
	}
}

// gatherAll moves what is left in any part. Readers of the signals begin with it; what cannot be reached now does not keep
// them from the rest.
func (s *Store) gatherAll(ctx context.Context) {
	g := s.gatherer
	if !s.keys.partitioned() || !g.looking.TryLock() {
		return
	}
	defer g.looking.Unlock()
	if time.Since(g.looked) < gatherEvery {
		return
	}
	if err := s.lookIntoAll(ctx); err != nil {
		s.opts.Logger.Debug("signals may stay in their parts for now", "err", err)
	}
	g.looked = time.Now()
}

// lookIntoAll moves what is left, and drops what was moved long enough ago.
func (s *Store) lookIntoAll(ctx context.Context) error {
	replies, err := s.pipeline(ctx, "gather", func(b *batch) {
		b.add("HGETALL", s.keys.gathered())
		for _, p := range s.keys.parts {
			b.add("XRANGE", p.signals(), "("+s.gatherer.cursor(p), "+", "COUNT", 1)
		}
	})
	if err != nil {
		return err
	}
	cursors, err := redis.StringMap(replies[0], nil)
	if err != nil {
		return err
	}
	var trims batch
	for i, p := range s.keys.parts {
		cursor, seen := cmp.Or(cursors[p.field()], noSignal), s.gatherer.cursor(p)
		s.gatherer.see(p, cursor)
		left, err := redis.Values(replies[1+i], nil)
		if err != nil {
			return err
		}
		if len(left) > 0 || idLess(cursor, seen) {
			if err := s.gatherFrom(ctx, p); err != nil {
				return err
			}
		}
		if m := &s.gatherer.moved[i]; m.cursor == "" || time.Since(m.seen) >= keepGathered {
			if m.cursor != "" && m.cursor != noSignal && !idLess(cursor, m.cursor) {
				trims.add("XTRIM", p.signals(), "MINID", m.cursor)
			}
			*m = mark{cursor, time.Now()}
		}
	}
	_, err = s.pipeline(ctx, "gather", func(b *batch) { *b = trims })
	return err
}

// gatherFrom moves all that a part has.
func (s *Store) gatherFrom(ctx context.Context, p part) error {
	for from := s.gatherer.cursor(p); ; {
		records, err := s.outbox(ctx, p, from)
		if err != nil || len(records) == 0 {
			return err
		}
		cursor, err := s.move(ctx, p, from, records)
		if err != nil {
			return err
		}
		s.gatherer.see(p, cursor)
		if len(records) < gatherAtOnce && !idLess(cursor, from) {
			return nil
		}
		from = cursor
	}
}

// outbox reads the next records of a part, behind an id.
func (s *Store) outbox(ctx context.Context, p part, from string) ([]any, error) {
	return redis.Values(s.call(ctx, "gather", func(c redis.Conn) (any, error) {
		return c.Do("XRANGE", p.signals(), "("+from, "+", "COUNT", gatherAtOnce)
	}))
}

// move moves records that were read behind an id, as far as nobody has yet, and returns the cursor of the part.
func (s *Store) move(ctx context.Context, p part, from string, records []any) (string, error) {
	args := []any{p.number, from}
	for _, r := range records {
		record, err := redis.Values(r, nil)
		if err != nil {
			return "", err
		}
		fields, err := redis.Values(record[1], nil)
		if err != nil {
			return "", err
		}
		args = append(append(args, record[0], len(fields)), fields...)
	}
	return redis.String(s.run(ctx, "gather", []any{s.keys.signals(), s.keys.gathered()}, args))
}

// isGathered makes sure that no outbox holds what is not moved yet.
func (s *Store) isGathered(ctx context.Context) error {
	replies, err := s.pipeline(ctx, "gather", func(b *batch) {
		b.add("HGETALL", s.keys.gathered())
		for _, p := range s.keys.parts {
			b.add("XREVRANGE", p.signals(), "+", "-", "COUNT", 1)
		}
	})
	if err != nil {
		return err
	}
	cursors, err := redis.StringMap(replies[0], nil)
	if err != nil {
		return err
	}
	for i, p := range s.keys.parts {
		last, err := parseRecords(replies[1+i])
		if err != nil {
			return err
		}
		if len(last) > 0 && idLess(cmp.Or(cursors[p.field()], noSignal), last[0].id) {
			return fmt.Errorf("%w: %s holds signals that were not gathered; does a daemon work on it?", feed.ErrConflict, p.signals())
		}
	}
	return nil
}
