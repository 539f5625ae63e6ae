package store_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestAccountIsKeptAndChanged(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		ann := feed.Account{Name: "ann", Role: feed.RoleEditor, Created: now.now, Password: "hash"}
		if err := s.AddAccount(t.Context(), ann); err != nil {
			t.Fatal(err)
		}
		if err := s.AddAccount(t.Context(), ann); !errors.Is(err, feed.ErrExists) {
			t.Errorf("a second one: %v", err)
		}
		role, disabled, password, at := feed.RoleAdmin, true, "other", now.now.Add(time.Hour)
		change := feed.AccountChange{Role: &role, Disabled: &disabled, Password: &password, LastSignIn: &at, EndSessions: true}
		if err := s.ChangeAccount(t.Context(), "ann", change); err != nil {
			t.Fatal(err)
		}
		want := feed.Account{
			Name: "ann", Role: role, Created: now.now, Password: "other", Disabled: true, LastSignIn: at, Generation: 1,
		}
		got, err := s.Account(t.Context(), "ann")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if err := s.ChangeAccount(t.Context(), "ann", feed.AccountChange{}); err != nil {
			t.Errorf("no change: %v", err)
		}
		for name, err := range map[string]error{
			"change": s.ChangeAccount(t.Context(), "bob", change),
			"read":   func() error { _, err := s.Account(t.Context(), "bob"); return err }(),
		} {
			if !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("%s what is not there: %v", name, err)
			}
		}
		if err := s.AddAccount(t.Context(), feed.Account{Name: "abe", Role: feed.RoleReader}); err != nil {
			t.Fatal(err)
		}
		if all, err := s.Accounts(t.Context()); err != nil || len(all) != 2 || all[0].Name != "abe" {
			t.Errorf("got %+v, %v", all, err)
		}
	})
}

func TestFirstLinkMakesOneAdminAndNoMore(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, raw *storetest.Redigo) {
		for _, sum := range []string{"one", "two"} {
			if err := s.AddLink(t.Context(), sum, ""); err != nil {
				t.Fatal(err)
			}
		}
		if ttl := raw.Int("TTL", "link:one"); ttl < 3590 || ttl > 3600 {
			t.Errorf("a link lasts %d s", ttl)
		}
		if account, err := s.Link(t.Context(), "two"); account != "" || err != nil {
			t.Errorf("the link is for %q, %v", account, err)
		}
		if err := s.UseLink(t.Context(), "one", "ann", "hash"); err != nil {
			t.Fatal(err)
		}
		ann, err := s.Account(t.Context(), "ann")
		if err != nil || ann.Role != feed.RoleAdmin || ann.Password != "hash" {
			t.Errorf("got %+v, %v", ann, err)
		}
		for _, sum := range []string{"one", "two", "three"} {
			if err := s.UseLink(t.Context(), sum, "eve", "hash"); !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("link %s made another account: %v", sum, err)
			}
			if _, err := s.Link(t.Context(), sum); !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("link %s holds: %v", sum, err)
			}
		}
	})
}

func TestLinkSetsThePasswordOfItsAccountOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		for _, name := range []string{"ann", "bob"} {
			if err := s.AddAccount(t.Context(), feed.Account{Name: name, Role: feed.RoleReader, Created: now.now}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.AddLink(t.Context(), "sum", "ann"); err != nil {
			t.Fatal(err)
		}
		if err := s.UseLink(t.Context(), "sum", "bob", "hash"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("it was taken for another account: %v", err)
		}
		if err := s.UseLink(t.Context(), "sum", "ann", "hash"); err != nil {
			t.Fatal(err)
		}
		ann, err := s.Account(t.Context(), "ann")
		if err != nil || ann.Password != "hash" || ann.Role != feed.RoleReader || ann.Generation != 1 {
			t.Errorf("got %+v, %v", ann, err)
		}
		if err := s.UseLink(t.Context(), "sum", "ann", "again"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("it was taken twice: %v", err)
		}
	})
}

func TestSignInsHaveToWaitAfterTooMany(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
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
				t.Fatalf("sign-in %d waits %v", i+1, wait)
			}
		}
		if wait := count("192.0.2.1", "bob"); wait != time.Minute {
			t.Errorf("after ten the address waits %v", wait)
		}
		if wait := count("192.0.2.2", "ann"); wait != 0 {
			t.Errorf("another address waits %v", wait)
		}
		for _, want := range []time.Duration{2 * time.Minute, 4 * time.Minute, 8 * time.Minute} {
			now.Advance(count("192.0.2.1", "ann"))
			if wait := count("192.0.2.1", "ann"); wait != 0 {
				t.Fatalf("after its time it waits %v", wait)
			}
			if wait := count("192.0.2.1", "ann"); wait != want {
				t.Errorf("one more waits %v, want %v", wait, want)
			}
		}
		now.Advance(8 * time.Minute)
		for range 12 {
			now.Advance(count("192.0.2.1", "ann"))
			if wait := count("192.0.2.1", "ann"); wait > time.Hour {
				t.Errorf("it waits %v", wait)
			}
		}
	})
}

func TestWhoGuessesDoesNotKeepAnAccountOutFromWhereItIsKnown(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		session := feed.Session{Sum: "sum", Account: "ann", Created: now.now, Seen: now.now, Address: "192.0.2.1"}
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
			t.Error("a hundred addresses guess one after the other")
		}
		if wait := count("192.0.2.1"); wait != 0 {
			t.Errorf("the account waits %v where it is known", wait)
		}
	})
}

func TestSignInThatSucceedsDoesNotCount(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		for i := range 30 {
			if wait, err := s.CountAttempt(t.Context(), "192.0.2.1", "ann"); wait != 0 || err != nil {
				t.Fatalf("sign-in %d waits %v, %v", i+1, wait, err)
			}
			if err := s.ForgiveAttempt(t.Context(), "192.0.2.1", "ann"); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// However many use first links at a time, one of them becomes the admin.
func TestFirstAccountIsMadeOnceByManyAtATime(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		const many = 8
		var made atomic.Int32
		var wg sync.WaitGroup
		for i := range many {
			name := "admin" + strconv.Itoa(i)
			if err := s.AddLink(t.Context(), name, ""); err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				switch err := s.UseLink(t.Context(), name, name, "hash"); {
				case err == nil:
					made.Add(1)
				case !errors.Is(err, feed.ErrNotFound):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if all, err := s.Accounts(t.Context()); made.Load() != 1 || len(all) != 1 || err != nil {
			t.Errorf("%d were told that they made it; there are %+v, %v", made.Load(), all, err)
		}
	})
}
