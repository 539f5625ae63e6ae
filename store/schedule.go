package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// ClaimSources claims at most limit due sources for the length of a lease, oldest due first. Several daemons may claim
// at once: each source goes to one of them, and with Options.HostDelay of the sources of one host one at a time. Where
// the answer is lost, the next claims give the sources back; where this daemon makes none, they come due again when the
// lease ends.
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
	turns := s.Turns()
	taken, err := s.claimDue(ctx, token, limit, now, until)
	if err != nil || len(taken) == 0 {
		return nil, err
	}
	urls := make([]string, len(taken))
	for i := range taken {
		urls[i] = taken[i].Source.URL
	}
	sources, err := s.loadSources(ctx, urls)
	if err != nil {
		return nil, err
	}
	claims := make([]feed.Claim, 0, len(sources))
	for _, c := range taken {
		if n := len(claims); n < len(sources) && sources[n].URL == c.Source.URL {
			c.Source, c.Turns = sources[n], turns
			claims = append(claims, c)
			continue
		}
		// What is due but no source any more was left by a removal that was cut short.
		if err := s.finish(ctx, c, finish{}); err != nil {
			return nil, err
		}
	}
	return claims, nil
}

// claimDue takes what is due, oldest first, and knows no more of the sources than their URLs. Where a part has less than
// its share, since its hosts are busy, the others make up for it.
func (s *Store) claimDue(ctx context.Context, token string, limit int, now, until time.Time) (taken []feed.Claim, err error) {
	const rounds = 5 // what is due still is for the next call
	for round := range rounds {
		shares, err := s.dueShares(ctx, "due", part.due, stamp(now), limit-len(taken))
		if err != nil {
			return nil, err
		}
		if len(shares) == 0 {
			break
		}
		wanted, before, calls := 0, len(taken), make([][]any, len(shares))
		for i, sh := range shares {
			wanted += sh.count
			calls[i] = s.withKeys([]any{sh.due(), sh.lease()}, []any{
				stamp(now), sh.count, stamp(until), fmt.Sprintf("%s-%d", token, round), sh.prefix, s.terms().HostDelay.Seconds(),
			})
		}
		replies, err := s.runManyOnce(ctx, "claim_sources", calls)
		if err != nil {
			return nil, err
		}
		for _, reply := range replies {
			words, err := redis.Strings(reply, nil)
			if err != nil {
				return nil, err
			}
			for i := 0; i+2 < len(words); i += 3 {
				c := feed.Claim{Due: feed.ParseTime(words[i+1]), Token: words[i+2]}
				c.Source.URL = words[i]
				taken = append(taken, c)
			}
		}
		if len(taken)-before == wanted || !s.keys.partitioned() {
			break
		}
	}
	slices.SortStableFunc(taken, func(a, b feed.Claim) int { return a.Due.Compare(b.Due) })
	return taken, nil
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
	calls := make([][]any, len(s.keys.parts))
	for i, p := range s.keys.parts {
		calls[i] = s.withKeys([]any{p.due(), p.lease()}, []any{start, s.stamp(), p.prefix})
	}
	counts, err := redis.Ints(s.runMany(ctx, "reclaim_sources", calls))
	if err != nil {
		return 0, fmt.Errorf("reclaim sources: %w", err)
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	return total, nil
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
	return s.nextIn(ctx, "due", part.due)
}

// behindClock is how far a poll may lie in the future before it is said that the clock went back: other daemons have clocks
// of their own.
const behindClock = 5 * time.Second

// ClockSetBack brings forward what was planned by a clock that has been set back since: each source whose last poll lies in
// the future is due in as long as it was to be then, and its host may be asked. Else all would wait until the clock is
// again where it was. Doing it twice changes nothing the second time. It reads all sources, and returns how many it found.
func (s *Store) ClockSetBack(ctx context.Context) (int, error) {
	sources, err := s.Sources(ctx)
	if err != nil {
		return 0, err
	}
	now, found := s.opts.Now(), 0
	_, err = s.pipeline(ctx, "clock_set_back", func(b *batch) {
		for i := range sources {
			src := &sources[i]
			if !src.Poll.LastPoll.After(now.Add(behindClock)) {
				continue
			}
			found++
			wait := max(0, src.Poll.NextPoll.Sub(src.Poll.LastPoll))
			p := s.keys.of(src.URL)
			b.add("ZADD", p.due(), "XX", "LT", stamp(now.Add(wait)), src.URL)
			b.add("DEL", p.host(feed.Host(src.Address())))
		}
	})
	if err != nil {
		return 0, fmt.Errorf("bring polls forward: %w", err)
	}
	return found, nil
}

// RenewLease lengthens the lease of a poll that takes its time, from now on. feed.ErrLeaseLost when another daemon owns
// the source now.
func (s *Store) RenewLease(ctx context.Context, c feed.Claim, lease time.Duration) error {
	now, p := s.opts.Now(), s.keys.of(c.Source.URL)
	done, err := redis.Bool(s.run(ctx, "renew_lease",
		[]any{p.due(), p.lease(), s.hostKey(&c)},
		[]any{c.Source.URL, c.Token, stamp(now.Add(lease)), stamp(now)}))
	if err == nil && !done {
		err = feed.ErrLeaseLost
	}
	if err != nil {
		return fmt.Errorf("renew the lease of %s: %w", c.Source.URL, err)
	}
	return nil
}

// host names the server at a URL whose polls are spaced; "" where they need not be.
func (s *Store) host(feedURL string) string {
	host := feed.Host(feedURL)
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	ip, err := netip.ParseAddr(name)
	if !s.opts.SpareSelf && (name == "localhost" || err == nil && ip.IsLoopback()) {
		return ""
	}
	return host
}

// hostKey is the key of the host that is asked under a claim.
func (s *Store) hostKey(c *feed.Claim) string {
	return s.keys.of(c.Source.URL).host(feed.Host(c.Source.Address()))
}

// FinishPoll ends a poll: it writes how polling goes, as far as that differs from what the claim said, with a line in
// the history, and sets the next due time to State.NextPoll, or to none when the source is gone or paused.
// feed.ErrLeaseLost when another daemon owns the source now; or Redis has forgotten entries that the poll has saved, or may
// have forgotten some that it has found there, as a replica may that has become the master: then the source is due at once,
// for the same document.
func (s *Store) FinishPoll(ctx context.Context, c feed.Claim, polled feed.Polled) error {
	done := finish{
		state: polled.State, next: polled.State.NextPoll, line: historyLine(polled.Poll), saved: polled.Poll.New + polled.Poll.Modified,
	}
	if polled.State.Gone {
		done.next = time.Time{}
	}
	if s.terms().HostDelay > 0 && s.host(c.Source.Address()) != "" {
		done.host = s.opts.Now().Add(s.terms().HostDelay)
		if polled.PauseHost.After(done.host) {
			done.host = polled.PauseHost
		}
	}
	if c.Turns == s.Turns() {
		return s.finish(ctx, c, done)
	}
	// What the poll took for known may have been known to the old server only.
	done.state, done.next, done.line, done.saved = c.Source.Poll, s.opts.Now(), "", 0
	if err := s.finish(ctx, c, done); err != nil {
		return err
	}
	return fmt.Errorf("finish poll of %s: another server of the store has taken over: %w", c.Source.URL, feed.ErrLeaseLost)
}

// ReleaseSource gives a claim back that was not polled: it stays due as before.
func (s *Store) ReleaseSource(ctx context.Context, c feed.Claim) error {
	return s.finish(ctx, c, finish{state: c.Source.Poll, next: c.Due})
}

// finish is what the end of a claim writes.
type finish struct {
	state feed.PollState
	next  time.Time // due; zero: never
	host  time.Time // when the host may be asked again; zero: as before the claim; not looked at where polls are not spaced
	line  string    // of the history; empty: none
	saved int       // entries, which have to be there still
}

func (s *Store) finish(ctx context.Context, c feed.Claim, f finish) error {
	set, unset := pollFields(&c.Source.Poll, &f.state)
	url, after := c.Source.URL, feed.Source{URL: c.Source.URL, Poll: f.state}
	if after.Address() != c.Source.Address() {
		set = append(set, "host", s.host(after.Address()))
	}
	p := s.keys.of(url)
	host, hostKey := "-", p.host("")
	if s.terms().HostDelay > 0 {
		host, hostKey = stampOrNone(f.host), s.hostKey(&c)
	}
	args := append(append([]any{
		url, c.Token, stampOrNone(f.next), s.stamp(), host, f.line, feed.PollsKept, f.saved, len(set) / 2,
	}, set...), unset...)
	done, err := redis.Bool(s.runTogether(ctx, "finish_poll",
		[]any{p.meta(url), p.due(), p.lease(), hostKey, p.polls(url), p.unwell(), p.activity(s.opts.Now())}, args))
	if err != nil {
		return fmt.Errorf("finish poll of %s: %w", url, err)
	}
	if !done {
		return fmt.Errorf("finish poll of %s: %w", url, feed.ErrLeaseLost)
	}
	return nil
}

// stampOrNone is stamp, and nothing for the zero time.
func stampOrNone(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return stamp(t)
}

// ClaimSource claims one source before it is due. feed.ErrNotFound when there is none; feed.ErrConflict, with the way
// out, when it is paused, is being polled, or must not be polled yet for Options.PollFloor or its host's sake.
func (s *Store) ClaimSource(ctx context.Context, id string, lease time.Duration) (feed.Claim, error) {
	source, err := s.Source(ctx, id)
	if err != nil {
		return feed.Claim{}, err
	}
	claim, now := feed.Claim{Source: source, Token: s.owner() + rand.Text(), Turns: s.Turns()}, s.opts.Now()
	url := source.URL
	p, until := s.keys.of(url), now.Add(lease)
	delay := s.terms().HostDelay
	if s.host(source.Address()) == "" {
		delay = 0
	}
	answer, err := redis.String(s.runOnce(ctx, "claim_source",
		[]any{p.feeds(), p.meta(url), p.due(), p.lease(), s.hostKey(&claim)},
		[]any{
			id, url, stamp(now), stamp(until), claim.Token, delay.Seconds(), s.terms().PollFloor.Seconds(),
		}))
	if err != nil {
		s.lost.add(claim.Token, until)
		return feed.Claim{}, fmt.Errorf("claim source %s: %w", id, err)
	}
	what, at, _ := strings.Cut(answer, " ")
	when := feed.ParseTime(at)
	switch what {
	case "":
		return feed.Claim{}, fmt.Errorf("source %s: %w", id, feed.ErrNotFound)
	case "paused":
		return feed.Claim{}, fmt.Errorf("source %s is paused: %w; resume it first", id, feed.ErrConflict)
	case "busy":
		return feed.Claim{}, fmt.Errorf("source %s or its host is being polled: %w; try again in a moment", id, feed.ErrConflict)
	case "wait":
		return feed.Claim{}, fmt.Errorf("source %s is asked again in %v at the earliest, to spare its server: %w",
			id, when.Sub(now).Round(time.Second), feed.ErrConflict)
	}
	claim.Due = when
	claim.Source, err = s.SourceByURL(ctx, url) // as it is now that nobody else writes it
	return claim, err
}
