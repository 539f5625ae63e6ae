package hub_test

import (
	"slices"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestReleasedDeliveriesAreDueAndTheirResultsIgnored(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		for n := range 3 {
			subscribed(t, s, now, callbackOf(n))
		}
		distribute(t, s, "", "1-0", false)
		claim := func(daemon string, limit int) []feed.Delivery {
			t.Helper()
			c := everything()
			c.Daemon, c.Limit = daemon, limit
			return deliveries(t, s, c)
		}
		killed, other := claim("killed", 2), claim("other", 1)
		if len(killed) != 2 || len(other) != 1 || killed[0].Fence.Equal(other[0].Fence) {
			t.Fatalf("claimed %+v and %+v", killed, other)
		}
		for _, daemon := range []string{"killed", "other"} {
			if _, err := s.AnnounceDaemon(t.Context(), daemon, time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		release := func(silence time.Duration) int {
			t.Helper()
			n, err := s.ReleaseDeliveries(t.Context(), "killed", silence)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := release(time.Hour); n != 0 {
			t.Errorf("%d deliveries of a daemon that works were released", n)
		}
		if n := release(0); n != 2 {
			t.Errorf("%d deliveries were released, want 2", n)
		}
		if n := release(0); n != 0 {
			t.Errorf("%d deliveries were released again", n)
		}
		now.Advance(time.Second)
		if again := claim("other", 10); len(again) != 2 {
			t.Errorf("claimed %+v, want the two that were released", again)
		}
		if lost := finish(t, s, feed.DeliveryResult{Delivery: killed[0], Outcome: feed.Delivered}); lost != 1 {
			t.Error("the result of a released delivery was stored")
		}
		if lost := finish(t, s, feed.DeliveryResult{Delivery: other[0], Outcome: feed.Delivered}); lost != 0 {
			t.Error("the result of another daemon was lost")
		}
		now.Advance(time.Hour)
		distribute(t, s, "1-0", "2-0", false)
		claim("other", 10)
		if n := raw.Int("ZCARD", "hub:claims"); n != 1 {
			t.Errorf("%d claims are stored, want 1: earlier ones have ended", n)
		}
	})
}

func TestDaemonsThatAnnounceNothingAreSilent(t *testing.T) {
	each(t, func(t *testing.T, s stores, _ *storetest.Clock, raw *storetest.Redigo) {
		announce := func(daemon string) []string {
			t.Helper()
			silent, err := s.AnnounceDaemon(t.Context(), daemon, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			return silent
		}
		announce("a")
		if got := announce("b"); len(got) != 0 {
			t.Errorf("%v are silent", got)
		}
		raw.Do("ZINCRBY", "hub:daemons", -61, "a")
		if got := announce("b"); !slices.Equal(got, []string{"a"}) {
			t.Errorf("%v are silent, want a", got)
		}
		announce("a")
		raw.Do("ZINCRBY", "hub:daemons", 24*60*60, "a") // before the clock of Redis was set back
		announce("b")
		raw.Do("ZINCRBY", "hub:daemons", -61, "a")
		if got := announce("b"); !slices.Equal(got, []string{"a"}) {
			t.Errorf("%v are silent after the clock was set back, want a", got)
		}
		if got := announce("a"); len(got) != 0 {
			t.Errorf("%v are silent after a returned", got)
		}
		if _, err := s.ReleaseDeliveries(t.Context(), "a", 0); err != nil {
			t.Fatal(err)
		}
		if n := raw.Int("ZCARD", "hub:daemons"); n != 1 {
			t.Errorf("%d daemons are stored after one ended, want 1", n)
		}
	})
}
