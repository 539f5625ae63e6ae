package source

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// ClaimSources claims up to limit due sources for the duration of a lease, oldest due first. Each source goes to one of several
// daemons; with core.Options.HostDelay, only one source of a host is claimed at a time. If the reply is lost, the next claim of this
// daemon returns the sources, or else the end of the lease does.
func (s *Store) ClaimSources(ctx context.Context, limit int, lease time.Duration) ([]feed.Claim, error) {
	now := s.db.Now()
	for token, until := range s.lost.Range {
		if until.(time.Time).Before(now) {
			s.lost.Delete(token)
		} else if _, err := s.reclaim(ctx, token.(string)); err != nil { // a server that hung may execute the claim later
			return nil, err
		}
	}
	token := s.owner() + rand.Text()
	claims, err := s.claim(ctx, token, limit, now, now.Add(lease))
	if err != nil {
		s.lost.Store(token, now.Add(lease))
		return nil, err
	}
	return claims, nil
}

func (s *Store) claim(ctx context.Context, token string, limit int, now, until time.Time) ([]feed.Claim, error) {
	epoch := s.db.FailoverEpoch()
	claimed, err := s.claimDue(ctx, token, limit, now, until)
	if err != nil || len(claimed) == 0 {
		return nil, err
	}
	urls := make([]string, len(claimed))
	for i := range claimed {
		urls[i] = claimed[i].Source.URL
	}
	if err := s.loadInto(ctx, urls, func(i int) *feed.Source { return &claimed[i].Source }); err != nil {
		return nil, err
	}
	exist := 0
	for i := range claimed {
		c := &claimed[i]
		c.Epoch = epoch
		if c.Source.ID != "" {
			if exist < i {
				claimed[exist] = *c
			}
			exist++
			continue
		}
		// Leftover of an interrupted removal.
		c.Source.URL = urls[i]
		if err := s.finish(ctx, c, finish{state: &c.Source.Poll}); err != nil {
			return nil, err
		}
	}
	return claimed[:exist], nil
}

// claimDue claims due sources, oldest first. The claims have only the URL of their source.
func (s *Store) claimDue(ctx context.Context, token string, limit int, now, until time.Time) (claimed []feed.Claim, err error) {
	all, err := s.db.ClaimDue(ctx, groupPolls, dueSet, limit, now, s.scripts["claim_sources"], 3, func(round int, share core.Share) core.Invocation {
		k := keys{Keyspace: share.Keyspace}
		return core.Invocation{Keys: []any{k.due(), k.lease()}, Args: []any{
			core.Stamp(now), share.Count, core.Stamp(until), fmt.Sprintf("%s-%d", token, round), k.Prefix(), s.db.Options().HostDelay.Seconds(),
		}}
	})
	for _, part := range all {
		for words := range slices.Chunk(part.Words, 3) {
			claimed = append(claimed, feed.Claim{Source: feed.Source{URL: words[0]}, Due: feed.ParseTime(words[1]), Token: words[2]})
		}
	}
	slices.SortStableFunc(claimed, func(a, b feed.Claim) int { return a.Due.Compare(b.Due) })
	return claimed, err
}

// ClaimSource claims a source before it is due. feed.ErrNotFound: there is none; feed.ErrConflict: the source is paused, a poll of it
// or of its host is under way, or core.Options.PollFloor or the delay of its host forbids a poll now.
func (s *Store) ClaimSource(ctx context.Context, id string, lease time.Duration) (feed.Claim, error) {
	source, err := s.Source(ctx, id)
	if err != nil {
		return feed.Claim{}, err
	}
	claim, now := feed.Claim{Source: source, Token: s.owner() + rand.Text(), Epoch: s.db.FailoverEpoch()}, s.db.Now()
	k, until, delay := s.of(source.URL), now.Add(lease), s.db.Options().HostDelay
	if s.host(source.Address()) == "" {
		delay = 0
	}
	reply, err := redis.String(s.db.Run(ctx, s.scripts["claim_source"],
		[]any{k.feeds(), k.meta(), k.due(), k.lease(), s.hostKey(&claim)},
		[]any{
			id, source.URL, core.Stamp(now), core.Stamp(until), claim.Token, delay.Seconds(), s.db.Options().PollFloor.Seconds(),
		}))
	if err != nil {
		s.lost.Store(claim.Token, until)
		return feed.Claim{}, fmt.Errorf("claim source %s: %w", id, err)
	}
	what, at, _ := strings.Cut(reply, " ")
	when := feed.ParseTime(at)
	switch what {
	case "":
		return feed.Claim{}, fmt.Errorf("source %s: %w", id, feed.ErrNotFound)
	case "paused":
		return feed.Claim{}, fmt.Errorf("source %s is paused: %w; resume it first", id, feed.ErrConflict)
	case "busy":
		return feed.Claim{}, fmt.Errorf("a poll of source %s or of its host is under way: %w; try again later", id, feed.ErrConflict)
	case "wait":
		return feed.Claim{}, fmt.Errorf("source %s was polled recently: %w; try again in %v", id, feed.ErrConflict,
			when.Sub(now).Round(time.Second))
	}
	claim.Due = when
	claim.Source, err = s.SourceByURL(ctx, source.URL) // read again under the lease
	return claim, err
}
