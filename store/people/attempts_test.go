package people_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestTooManySignInsMustWait(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, _ *storetest.Redigo) {
		count := func(address, account string) time.Duration {
			t.Helper()
			wait, err := s.CountAttempt(t.Context(), address, account)
			if err != nil {
				t.Fatal(err)
			}
			return wait
		}
		for i := range 10 {
			if wait := count("192.0.2.1", "ann"); wait != 0 {
				t.Fatalf("sign-in %d must wait %v", i+1, wait)
			}
		}
		if wait := count("192.0.2.1", "bob"); wait != time.Minute {
			t.Errorf("after ten the address must wait %v", wait)
		}
		if wait := count("192.0.2.2", "ann"); wait != 0 {
			t.Errorf("another address must wait %v", wait)
		}
		for _, want := range []time.Duration{2 * time.Minute, 4 * time.Minute, 8 * time.Minute} {
			now.Advance(count("192.0.2.1", "ann"))
			if wait := count("192.0.2.1", "ann"); wait != 0 {
				t.Fatalf("after its time it must still wait %v", wait)
			}
			if wait := count("192.0.2.1", "ann"); wait != want {
				t.Errorf("one more must wait %v, want %v", wait, want)
			}
		}
		now.Advance(8 * time.Minute)
		for range 12 {
			now.Advance(count("192.0.2.1", "ann"))
			if wait := count("192.0.2.1", "ann"); wait > time.Hour {
				t.Errorf("it must wait %v", wait)
			}
		}
	})
}

func TestKnownAddressIsNotHeldUpByAttemptsFromElsewhere(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, _ *storetest.Redigo) {
		session := feed.Session{Sum: "sum", Account: "ann", Created: now.Time, Seen: now.Time, Address: "192.0.2.1"}
		if err := s.AddSession(t.Context(), session); err != nil {
			t.Fatal(err)
		}
		count := func(address string) time.Duration {
			wait, err := s.CountAttempt(t.Context(), address, "ann")
			if err != nil {
				t.Fatal(err)
			}
			return wait
		}
		var wait time.Duration
		for i := 0; i < 101 && wait == 0; i++ {
			wait = count("2001:db8::" + string(rune('a'+i%6)) + string(rune('0'+i/6%10)) + string(rune('0'+i/60)))
		}
		if wait == 0 {
			t.Error("a hundred addresses may guess without waiting")
		}
		if wait := count("192.0.2.1"); wait != 0 {
			t.Errorf("a known address must wait %v", wait)
		}
	})
}

func TestSuccessfulSignInIsNotCounted(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		for i := range 30 {
			if wait, err := s.CountAttempt(t.Context(), "192.0.2.1", "ann"); wait != 0 || err != nil {
				t.Fatalf("sign-in %d must wait %v, %v", i+1, wait, err)
			}
			if err := s.ForgiveAttempt(t.Context(), "192.0.2.1", "ann"); err != nil {
				t.Fatal(err)
			}
		}
	})
}
