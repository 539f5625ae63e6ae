package core

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"
)

// QueryAll sends a command to each Keyspace of Sources in one pipeline and returns the replies in that order.
func (db *DB) QueryAll(ctx context.Context, op string, command func(Keyspace) []any) (Replies, error) {
	return db.querySome(ctx, op, db.shards, command)
}

func (db *DB) querySome(ctx context.Context, op string, some []Keyspace, command func(Keyspace) []any) (Replies, error) {
	return db.Pipeline(ctx, op, func(b *Batch) {
		for _, k := range some {
			b.commands = append(b.commands, command(k))
		}
	})
}

// Find sends a command to the Keyspace in which something should be, and if the reply is empty to the others. It returns the
// first reply that is not empty, or nil.
func (db *DB) Find(ctx context.Context, op string, likely Keyspace, command func(Keyspace) []any) (any, error) {
	others := slices.DeleteFunc(slices.Clone(db.shards), func(k Keyspace) bool { return k == likely })
	for _, some := range [][]Keyspace{{likely}, others} {
		replies, err := db.querySome(ctx, op, some, command)
		if err != nil {
			return nil, err
		}
		for _, reply := range replies {
			if list, ok := reply.([]any); reply != nil && (!ok || len(list) > 0) {
				return reply, nil
			}
		}
	}
	return nil, nil //nolint:nilnil // nil is a reply
}

// NextDue returns the lowest score of a sorted set by time that is divided among Sources, or the zero time if the set is empty.
func (db *DB) NextDue(ctx context.Context, op, set string) (next time.Time, err error) {
	r, err := db.QueryAll(ctx, op, func(k Keyspace) []any { return []any{"ZRANGE", k.Key(set), 0, 0, "WITHSCORES"} })
	for len(r) > 0 {
		if due := r.Score(); !due.IsZero() {
			next = Sooner(next, due)
		}
	}
	return next, err
}

// Share is how many due members of a sorted set to claim in a Keyspace.
type Share struct {
	Keyspace
	Count int
}

// Claimed is what a script claimed in a Keyspace.
type Claimed struct {
	Keyspace
	Words []string // the replies of the script
}

// ClaimDue claims up to limit members of a sorted set by time that is divided among Sources, oldest first. The script claims in one
// Keyspace, and replies with a number of words for each member. If it got less than its share, because some members cannot be claimed
// now, others are claimed in the next round.
func (db *DB) ClaimDue(
	ctx context.Context, op, set string, limit int, now time.Time, script *Script, words int, call func(round int, share Share) Invocation,
) (all []Claimed, err error) {
	const rounds = 5 // what is still due then is left for the next call
	for round := range rounds {
		shares := []Share{{db.shards[0], limit}}
		if db.sharded() {
			if shares, err = db.shares(ctx, op, set, limit, now); err != nil || len(shares) == 0 {
				return all, err
			}
		}
		calls, missing := make([]Invocation, len(shares)), 0
		for i, s := range shares {
			calls[i], missing = call(round, s), missing+s.Count
		}
		replies, err := db.RunMany(ctx, script, calls)
		if err != nil {
			return nil, err
		}
		for i, reply := range replies {
			claimed, err := redis.Strings(reply, nil)
			if err != nil {
				return nil, err
			}
			all = append(all, Claimed{shares[i].Keyspace, claimed})
			limit, missing = limit-len(claimed)/words, missing-len(claimed)/words
		}
		if missing == 0 || !db.sharded() {
			break
		}
	}
	return all, nil
}

// shares divides the oldest due members, at most limit, among the shards.
func (db *DB) shares(ctx context.Context, op, set string, limit int, now time.Time) ([]Share, error) {
	replies, err := db.QueryAll(ctx, op, func(k Keyspace) []any {
		return []any{"ZRANGEBYSCORE", k.Key(set), "-inf", Stamp(now), "WITHSCORES", "LIMIT", 0, limit}
	})
	if err != nil {
		return nil, err
	}
	type member struct {
		shard int
		due   float64
	}
	var all []member
	for i, reply := range replies {
		places, _ := redis.Values(reply, nil) // members with their scores
		for j := 1; j < len(places); j += 2 {
			due, _ := redis.Float64(places[j], nil)
			all = append(all, member{i, due})
		}
	}
	slices.SortFunc(all, func(a, b member) int { return cmp.Compare(a.due, b.due) })
	counts := make(map[int]int)
	for _, m := range all[:min(limit, len(all))] {
		counts[m.shard]++
	}
	shares := make([]Share, 0, len(counts))
	for shard, count := range counts {
		shares = append(shares, Share{db.shards[shard], count})
	}
	return shares, nil
}
