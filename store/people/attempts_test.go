package people_test

import (
	"fmt"
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
	for name, tt := range map[string]struct{ signedIn, again, elsewhere string }{
		"IPv4":                         {signedIn: "192.0.2.1", again: "192.0.2.1", elsewhere: "192.0.2.2"},
		"IPv4 within IPv6":             {signedIn: "::ffff:192.0.2.1", again: "192.0.2.1", elsewhere: "::ffff:192.0.2.2"},
		"IPv6":                         {signedIn: "2001:db8:1:2::5", again: "2001:db8:1:2::5", elsewhere: "2001:db8:1:3::5"},
		"IPv6, another of the network": {signedIn: "2001:db8:1:2::5", again: "2001:db8:1:2:aaaa::9", elsewhere: "2001:db8:1::5"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, _ *storetest.Redigo) {
				must(t, s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleViewer}))
				must(t, s.AddSession(t.Context(), feed.Session{Sum: "sum", AccountID: 1, Created: now.Time, Seen: now.Time, Address: tt.signedIn}))
				count := func(address string) time.Duration {
					wait, err := s.CountAttempt(t.Context(), address, "ann")
					must(t, err)
					return wait
				}
				for i := range 100 {
					if wait := count(fmt.Sprintf("2001:db8:f:%x::1", i)); wait != 0 {
						t.Fatalf("attempt %d must wait %v", i+1, wait)
					}
				}
				if count(tt.elsewhere) == 0 {
					t.Error("a hundred addresses may guess without waiting")
				}
				if wait := count(tt.again); wait != 0 {
					t.Errorf("the known address must wait %v", wait)
				}
			})
		})
	}
}

func TestClockSetBackProlongsNoWaitOfSignIns(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, _ *storetest.Redigo) {
		for i := range 12 {
			if i == 11 {
				now.Advance(-24 * time.Hour)
			}
			wait, err := s.CountAttempt(t.Context(), "192.0.2.1", "ann")
			if must(t, err); (wait > 0) != (i == 10) {
				t.Errorf("sign-in %d must wait %v", i+1, wait)
			}
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
