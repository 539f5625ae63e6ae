package store

import (
	"context"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

// hubMark is the field of signals:gathered that says whose they are. The others are named by numbers.
const hubMark = "installation"

// outboxes are the parts that were seen to hold something, by number, and since when.
type outboxes struct {
	mu    sync.Mutex
	since map[int]time.Time
}

// lostMoments is more than a fail-over takes away of what was written last.
const lostMoments = time.Minute

// look takes note of the parts that hold something, and reports whether one of them has lost all.
func (o *outboxes) look(now time.Time, there []int) (lost bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since == nil {
		o.since = make(map[int]time.Time)
	}
	for number, n := range there {
		since, seen := o.since[number]
		switch {
		case n > 0 && !seen:
			o.since[number] = now
		case n == 0 && seen && now.Sub(since) > lostMoments:
			lost = true
		}
	}
	return lost
}

// whole is the installation that was found at the desk, or nil where another node has lost all that it had, as one does
// that keeps nothing and was started again: the hub has the mark of the installation, and a part that has ever signalled has
// an outbox. For a daemon that starts, and knows of none yet, what is gone begins anew.
func (s *Store) whole(ctx context.Context, known string, installation any) (any, error) {
	if !s.keys.partitioned() {
		return installation, nil
	}
	replies, err := s.pipeline(ctx, "check", func(b *batch) {
		if known == "" {
			b.add("HSET", s.keys.gathered(), hubMark, installation)
		}
		for _, p := range s.keys.parts {
			b.add("EXISTS", p.signals())
		}
		b.add("HGET", s.keys.gathered(), hubMark)
	})
	if err != nil {
		return nil, err
	}
	replies = replies[len(replies)-1-partCount:]
	there, err := redis.Ints(replies[:partCount], nil)
	if err != nil {
		return nil, err
	}
	lost := s.outboxes.look(s.opts.Now(), there)
	if mark, _ := redis.String(replies[partCount], nil); known != "" && (lost || mark != known) {
		return nil, nil
	}
	return installation, nil
}
