package source

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// host names the host of a URL whose polls core.Options.HostDelay spaces; empty: it does not apply to the host.
func (s *Store) host(feedURL string) string {
	host := feed.Host(feedURL)
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	ip, err := netip.ParseAddr(name)
	if !s.db.Options().SpareSelf && (name == "localhost" || err == nil && ip.IsLoopback()) {
		return ""
	}
	return host
}

// hostKey returns the key of the host that a claim polls.
func (s *Store) hostKey(c *feed.Claim) string {
	return s.of(c.Source.URL).host(feed.Host(c.Source.Address()))
}

// NextDue returns when the next source is due; zero: never.
func (s *Store) NextDue(ctx context.Context) (time.Time, error) {
	return s.db.NextDue(ctx, groupPolls, dueSet)
}

// clockTolerance is how far in the future a last poll may be before the clock counts as set back: daemons have different clocks.
const clockTolerance = 5 * time.Second

// ClockSetBack corrects what was planned before the clock was set back: each source whose last poll is in the future becomes due
// after its planned delay, counted from now, as does the next step of its subscription at a hub, and its host may be polled. Otherwise
// both would stop until the clock catches up. It is safe to repeat. It reads all sources, and returns how many it found.
func (s *Store) ClockSetBack(ctx context.Context) (int, error) {
	sources, err := s.Sources(ctx)
	if err != nil {
		return 0, err
	}
	now := s.db.Now()
	sources = slices.DeleteFunc(sources, func(src feed.Source) bool { return !src.Poll.LastPoll.After(now.Add(clockTolerance)) })
	steps, err := s.db.Pipeline(ctx, groupPush, func(b *core.Batch) {
		for i := range sources {
			b.Add("ZSCORE", s.of(sources[i].URL).pushDue(), sources[i].URL)
		}
	})
	if err != nil {
		return 0, core.Wrap(err, "read due times")
	}
	_, err = s.db.Pipeline(ctx, groupPolls, func(b *core.Batch) {
		for i := range sources {
			src := &sources[i]
			k := s.of(src.URL)
			fromNow := func(due time.Time) string { return core.Stamp(now.Add(max(0, due.Sub(src.Poll.LastPoll)))) }
			b.Add("ZADD", k.due(), "XX", "LT", fromNow(src.Poll.NextPoll), src.URL)
			b.Add("DEL", k.host(feed.Host(src.Address())))
			if step := feed.ParseTime(steps.Text()); step.After(src.Poll.LastPoll) { // otherwise there is none, or it was corrected
				b.Add("ZADD", k.pushDue(), "XX", "LT", fromNow(step), src.URL)
			}
		}
	})
	return len(sources), core.Wrap(err, "correct due times")
}
