package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// ClaimSources claims at most limit due sources for the length of a lease, oldest due first. Several daemons may claim
// at once: each source goes to one of them. Where the answer is lost, the next claims give the sources back; where this
// daemon makes none, they come due again when the lease ends.
func (s *Store) ClaimSources(ctx context.Context, limit int, lease time.Duration) ([]feed.Claim, error) {
	if err := s.giveBackLost(ctx); err != nil {
		return nil, err
	}
	now := s.opts.Now()
	token := s.owner() + rand.Text()
	claims, err := s.claim(ctx, token, limit, now, now.Add(lease))
	if err != nil {
		s.lost.add(token, now.Add(lease))
		return nil, err
	}
	return claims, nil
}

func (s *Store) claim(ctx context.Context, token string, limit int, now, until time.Time) ([]feed.Claim, error) {
	reply, err := redis.Strings(s.runOnce(ctx, "claim_sources",
		[]any{s.keys.due(), s.keys.lease()}, []any{stamp(now), limit, stamp(until), token}))
	if err != nil || len(reply) == 0 {
		return nil, err
	}
	claims := make(map[string]feed.Claim, len(reply)/3)
	urls := make([]string, 0, len(reply)/3)
	for i := 0; i+2 < len(reply); i += 3 {
		urls = append(urls, reply[i])
		claims[reply[i]] = feed.Claim{
			Source: feed.Source{URL: reply[i]}, Due: feed.ParseTime(reply[i+1]), Token: reply[i+2],
		}
	}
	sources, err := s.loadSources(ctx, urls)
	if err != nil {
		return nil, err
	}
	out := make([]feed.Claim, 0, len(sources))
	for _, src := range sources {
		c := claims[src.URL]
		c.Source = src
		out = append(out, c)
		delete(claims, src.URL)
	}
	// What is due but no source any more was left by a removal that was cut short.
	for url, c := range claims {
		if err := s.finish(ctx, url, c.Token, time.Time{}, feed.PollState{}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// lostClaims are the tokens of claims whose answer did not come, by the end of their leases. A server that hung carries
// them out when it goes on, perhaps after the next call, so that each is given back with every claim until then.
type lostClaims struct {
	mu    sync.Mutex
	until map[string]time.Time
}

func (l *lostClaims) add(token string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until == nil {
		l.until = make(map[string]time.Time)
	}
	l.until[token] = until
}

// tokens are those whose leases have not ended; it forgets the others.
func (l *lostClaims) tokens(now time.Time) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.until, func(_ string, until time.Time) bool { return until.Before(now) })
	return slices.Collect(maps.Keys(l.until))
}

func (s *Store) giveBackLost(ctx context.Context) error {
	for _, token := range s.lost.tokens(s.opts.Now()) {
		if _, err := s.reclaim(ctx, token); err != nil {
			return err
		}
	}
	return nil
}

// ReclaimSources makes due at once what this daemon had claimed and not finished when it was last killed; otherwise that
// would wait for the end of its lease. It is for the start, before the first claim. It returns how many there were.
func (s *Store) ReclaimSources(ctx context.Context) (int, error) {
	if s.opts.Owner == "" {
		return 0, nil
	}
	return s.reclaim(ctx, s.owner())
}

// reclaim makes due what is leased under tokens that begin so.
func (s *Store) reclaim(ctx context.Context, start string) (int, error) {
	n, err := redis.Int(s.run(ctx, "reclaim_sources", []any{s.keys.due(), s.keys.lease()}, []any{start, s.stamp()}))
	if err != nil {
		return 0, fmt.Errorf("reclaim sources: %w", err)
	}
	return n, nil
}

// owner begins the tokens of this daemon's leases.
func (s *Store) owner() string {
	if s.opts.Owner == "" {
		return ""
	}
	return s.opts.Owner + "-"
}

// NextDue is when the next source comes due; the zero time when none will.
func (s *Store) NextDue(ctx context.Context) (time.Time, error) {
	reply, err := redis.Strings(s.call(ctx, "due", func(c redis.Conn) (any, error) {
		return c.Do("ZRANGE", s.keys.due(), 0, 0, "WITHSCORES")
	}))
	if err != nil || len(reply) < 2 {
		return time.Time{}, err
	}
	return feed.ParseTime(reply[1]), nil
}

// FinishPoll ends a poll: it writes how polling goes, as a whole, and sets the next due time to state.NextPoll, or to
// none when the source is gone or paused. feed.ErrLeaseLost when another daemon owns the source now.
func (s *Store) FinishPoll(ctx context.Context, c feed.Claim, state feed.PollState) error {
	next := state.NextPoll
	if state.Gone {
		next = time.Time{}
	}
	return s.finish(ctx, c.Source.URL, c.Token, next, state)
}

// ReleaseSource gives a claim back that was not polled: it stays due as before.
func (s *Store) ReleaseSource(ctx context.Context, c feed.Claim) error {
	return s.finish(ctx, c.Source.URL, c.Token, c.Due, c.Source.Poll)
}

func (s *Store) finish(ctx context.Context, url, token string, next time.Time, state feed.PollState) error {
	due := ""
	if !next.IsZero() {
		due = stamp(next)
	}
	set, unset := pollFields(state)
	args := append(append([]any{url, token, due, len(set) / 2}, set...), unset...)
	done, err := redis.Bool(s.run(ctx, "finish_poll",
		[]any{s.keys.meta(url), s.keys.due(), s.keys.lease()}, args))
	if err != nil {
		return fmt.Errorf("finish poll of %s: %w", url, err)
	}
	if !done {
		return fmt.Errorf("finish poll of %s: %w", url, feed.ErrLeaseLost)
	}
	return nil
}
