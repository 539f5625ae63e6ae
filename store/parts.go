package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"
)

// askParts sends a command to each part, in one pipeline.
func (s *Store) askParts(ctx context.Context, op string, command func(part) []any) ([]any, error) {
	return s.pipeline(ctx, op, func(b *batch) {
		for _, p := range s.keys.parts {
			b.commands = append(b.commands, command(p))
		}
	})
}

// nextIn is when the next member of a sorted set by time is due, in any part; the zero time: none is.
func (s *Store) nextIn(ctx context.Context, op string, key func(part) string) (next time.Time, err error) {
	replies, err := s.askParts(ctx, op, func(p part) []any { return []any{"ZRANGE", key(p), 0, 0, "WITHSCORES"} })
	if err != nil {
		return next, err
	}
	for a := answers(replies); len(a) > 0; {
		if due := a.score(); !due.IsZero() {
			next = sooner(next, due)
		}
	}
	return next, nil
}

// share is how much of what is due is in one part.
type share struct {
	part
	count int
}

// dueShares divides what is due by now, at most limit of all, the oldest of it, among the parts. Where there is one part
// only, it is not asked.
func (s *Store) dueShares(ctx context.Context, op string, key func(part) string, now string, limit int) ([]share, error) {
	if !s.keys.partitioned() {
		return []share{{s.keys.parts[0], limit}}, nil
	}
	replies, err := s.askParts(ctx, op, func(p part) []any {
		return []any{"ZRANGEBYSCORE", key(p), "-inf", now, "WITHSCORES", "LIMIT", 0, limit}
	})
	if err != nil {
		return nil, err
	}
	type moment struct {
		number int
		at     float64
	}
	var all []moment
	for i, reply := range replies {
		due, err := redis.Values(reply, nil)
		if err != nil {
			return nil, err
		}
		for j := 1; j < len(due); j += 2 {
			at, err := redis.Float64(due[j], nil)
			if err != nil {
				return nil, err
			}
			all = append(all, moment{i, at})
		}
	}
	slices.SortFunc(all, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	counts := make(map[int]int)
	for _, m := range all[:min(limit, len(all))] {
		counts[m.number]++
	}
	shares := make([]share, 0, len(counts))
	for number, count := range counts {
		shares = append(shares, share{s.keys.parts[number], count})
	}
	return shares, nil
}
