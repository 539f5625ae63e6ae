package source

import (
	"context"
	"net"
	"net/netip"
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
// after its planned delay, counted from now, and its host may be polled. Otherwise polling would stop until the clock catches up. It
// is safe to repeat. It reads all sources, and returns how many it found.
func (s *Store) ClockSetBack(ctx context.Context) (int, error) {
	sources, err := s.Sources(ctx)
	if err != nil {
		return 0, err
	}
	now, found := s.db.Now(), 0
	_, err = s.db.Pipeline(ctx, groupPolls, func(b *core.Batch) {
		for i := range sources {
			src := &sources[i]
			if !src.Poll.LastPoll.After(now.Add(clockTolerance)) {
				continue
			}
			found++
			delay := max(0, src.Poll.NextPoll.Sub(src.Poll.LastPoll))
			k := s.of(src.URL)
			b.Add("ZADD", k.due(), "XX", "LT", core.Stamp(now.Add(delay)), src.URL)
			b.Add("DEL", k.host(feed.Host(src.Address())))
		}
	})
	return found, core.Wrap(err, "correct due times")
}
