package source

import (
	"context"
	"crypto/rand"
	"errors"
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
	claimed, hosts, err := s.claimDue(ctx, token, limit, now, until)
	if errors.Is(err, feed.ErrDamaged) {
		s.broken.Store(true)
		return nil, s.Explain(ctx, "", err)
	}
	if err == nil && s.broken.Load() {
		if _, err = s.RepairSchedule(ctx); err == nil {
			_, err = s.RepairStates(ctx)
		}
		s.broken.Store(err != nil)
	}
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
	ready := claimed[:0]
	for i, c := range claimed {
		c.Epoch, c.Source.URL = epoch, urls[i]
		ok, err := s.examine(ctx, &c, hosts[urls[i]])
		if err != nil {
			return nil, err
		}
		if ok {
			ready = append(ready, c)
		}
	}
	return ready, nil
}

// examine reports whether a claimed source can be polled. Otherwise it ends the claim. host is the key of its host if that is damaged.
func (s *Store) examine(ctx context.Context, c *feed.Claim, host bool) (bool, error) {
	switch {
	case c.Source.ID == "":
		found, err := s.refound(ctx, c.Source.URL)
		if err != nil {
			return false, err
		}
		if found {
			return false, s.putOff(ctx, c, nil)
		}
		return false, s.finish(ctx, c, finish{state: &c.Source.Poll}) // leftover of an interrupted removal
	case host || isDamaged(&c.Source):
		damage, err := s.findDamage(ctx, &c.Source)
		if err != nil {
			return false, err
		}
		if damage != nil || host || c.Source.Added.IsZero() { // or it was repaired since it was read
			return false, s.putOff(ctx, c, damage)
		}
		s.repaired(c.Source.URL)
	}
	return true, nil
}

// claimDue claims due sources, oldest first. The claims have only the URL of their source. hosts has the URLs of sources of whose host
// the key is damaged.
func (s *Store) claimDue(
	ctx context.Context, token string, limit int, now, until time.Time,
) (claimed []feed.Claim, hosts map[string]bool, err error) {
	all, err := s.db.ClaimDue(ctx, groupPolls, dueSet, limit, now, s.scripts["claim_sources"], 4, func(round int, share core.Share) core.Invocation {
		k := keys{Keyspace: share.Keyspace}
		return core.Invocation{Keys: []any{k.due(), k.lease()}, Args: []any{
			core.Stamp(now), share.Count, core.Stamp(until), fmt.Sprintf("%s-%d", token, round), k.Prefix(), s.db.Options().HostDelay.Seconds(),
		}}
	})
	for _, part := range all {
		for words := range slices.Chunk(part.Words, 4) {
			if words[3] != "" {
				if hosts == nil {
					hosts = make(map[string]bool)
				}
				hosts[words[0]] = true
			}
			claimed = append(claimed, feed.Claim{Source: feed.Source{URL: words[0]}, Due: feed.ParseTime(words[1]), Token: words[2]})
		}
	}
	slices.SortStableFunc(claimed, func(a, b feed.Claim) int { return a.Due.Compare(b.Due) })
	return claimed, hosts, err
}

// ClaimSource claims a source before it is due. feed.ErrNotFound: there is none; feed.ErrDamaged: a key of it holds a value of another
// type; feed.ErrConflict: the source is paused or local, a poll of it
// or of its host is under way, or core.Options.PollFloor or the delay of its host forbids a poll now.
func (s *Store) ClaimSource(ctx context.Context, id string, lease time.Duration) (feed.Claim, error) {
	source, err := s.Source(ctx, id)
	if err != nil {
		return feed.Claim{}, err
	}
	if source.Local() {
		return feed.Claim{}, fmt.Errorf("source %s: %w; it is local, so it is never polled", id, feed.ErrConflict)
	}
	if isDamaged(&source) {
		damage, err := s.findDamage(ctx, &source)
		if err != nil {
			return feed.Claim{}, err
		}
		if damage != nil {
			return feed.Claim{}, fmt.Errorf("source %s: %w", id, damage)
		}
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
		return feed.Claim{}, fmt.Errorf("claim source %s: %w", id, s.Explain(ctx, source.URL, err))
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
