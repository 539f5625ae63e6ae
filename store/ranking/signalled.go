package ranking

import (
	"context"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of the signals about votes, of all daemons together: thousands of votes in a second must not become as many signals.
const (
	votesSignalled  = 10 * time.Second // between two runs of signal_votes
	votesSignalling = 100              // articles in a run
)

// listsCompared is the time between two comparisons of lists by any daemon. Each compares them every minute.
const listsCompared = 50 * time.Second

// UnsignalledVotes returns the ids of entries whose votes changed since they were signalled, the oldest change first, as many as SignalVotes signals
// at once.
func (s *Store) UnsignalledVotes(ctx context.Context) ([]string, error) {
	members, err := redis.Strings(s.db.Do(ctx, opGroup, "ZRANGE", s.keys().unsignalled(), 0, votesSignalling-1))
	ids := make([]string, len(members))
	for i, member := range members {
		ids[i] = entryID(member)
	}
	return ids, core.Wrap(err, "find votes to signal")
}

// SignalVotes signals the current votes on some entries of UnsignalledVotes, except on hidden ones, and returns how many signals it wrote. It is a no-op
// within 10 seconds after it did so, in any daemon.
func (s *Store) SignalVotes(ctx context.Context, ids []string, hidden map[string]bool) (int, error) {
	k := s.keys()
	keys := []any{k.unsignalled(), k.signalled(), k.scores(), k.Outbox(), k.Activity(s.db.Now())}
	args := []any{s.db.Stamp(), votesSignalled.Seconds(), feed.MemberPrefix}
	for _, id := range ids {
		n := numberOf(id)
		keys = append(keys, k.article(n))
		args = append(args, articlePrefix+n, core.Bit(!hidden[id]))
	}
	made, err := redis.Int(s.db.Run(ctx, s.scripts["signal_votes"], keys, args))
	if made > 0 {
		s.db.Signalled(ctx, k.Keyspace)
	}
	return made, core.Wrap(err, "signal votes")
}

// SignalLists signals those of all lists whose digest is another one than at the last comparison, and returns how many. It is a no-op within 50 seconds
// after the last comparison, in any daemon. The first comparison of a store signals none.
func (s *Store) SignalLists(ctx context.Context, all []feed.ListDigest) (int, error) {
	k := s.keys()
	args := []any{s.db.Stamp(), listsCompared.Seconds()}
	for _, l := range all {
		args = append(args, l.List, l.FeedURL, l.Digest)
	}
	made, err := redis.Int(s.db.Run(ctx, s.scripts["signal_lists"], []any{k.listsSignalled(), k.listsCompared(), k.Outbox(), k.Activity(s.db.Now())}, args))
	if made > 0 {
		s.db.Signalled(ctx, k.Keyspace)
	}
	return made, core.Wrap(err, "signal lists")
}
