package people_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

var hashed = feed.PasswordHash{Sum: "hash", Salt: "salt"}

func TestFirstLinkMakesOneAdmin(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		for _, sum := range []string{"one", "two"} {
			if err := s.AddLink(t.Context(), sum, ""); err != nil {
				t.Fatal(err)
			}
		}
		if ttl := raw.Int("TTL", "link:one"); ttl < 3590 || ttl > 3600 {
			t.Errorf("the link expires in %d s", ttl)
		}
		if account, err := s.Link(t.Context(), "two"); account != "" || err != nil {
			t.Errorf("the link is for %q, %v", account, err)
		}
		if err := s.UseLink(t.Context(), "one", "ann", hashed, false); err != nil {
			t.Fatal(err)
		}
		ann, err := s.Account(t.Context(), "ann")
		if err != nil || ann.Role != feed.RoleAdmin || ann.Password != hashed {
			t.Errorf("got %+v, %v", ann, err)
		}
		for _, sum := range []string{"one", "two", "three"} {
			if err := s.UseLink(t.Context(), sum, "eve", hashed, false); !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("link %s made a second account: %v", sum, err)
			}
			if _, err := s.Link(t.Context(), sum); !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("link %s is still valid: %v", sum, err)
			}
		}
	})
}

func TestLinkSetsThePasswordOfItsAccountOnce(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, _ *storetest.Redigo) {
		for _, name := range []string{"ann", "bob"} {
			if err := s.AddAccount(t.Context(), feed.Account{Name: name, Role: feed.RoleViewer, Created: now.Time}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.AddLink(t.Context(), "sum", "ann"); err != nil {
			t.Fatal(err)
		}
		if err := s.UseLink(t.Context(), "sum", "bob", hashed, false); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("the link was accepted for another account: %v", err)
		}
		if err := s.UseLink(t.Context(), "sum", "ann", hashed, false); err != nil {
			t.Fatal(err)
		}
		ann, err := s.Account(t.Context(), "ann")
		if err != nil || ann.Password != hashed || ann.Role != feed.RoleViewer || ann.Generation != 1 {
			t.Errorf("got %+v, %v", ann, err)
		}
		if err := s.UseLink(t.Context(), "sum", "ann", feed.PasswordHash{Sum: "again"}, false); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("the link was accepted twice: %v", err)
		}
	})
}

func TestOnlyTheNewestLinkOfAnAccountIsValid(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		for _, name := range []string{"ann", "bob"} {
			must(t, s.AddAccount(t.Context(), feed.Account{Name: name, Role: feed.RoleViewer}))
		}
		refused := func(why string, links ...string) {
			t.Helper()
			for _, link := range links {
				if _, err := s.Link(t.Context(), link); !errors.Is(err, feed.ErrNotFound) {
					t.Errorf("%s, link %s is offered: %v", why, link, err)
				}
				if err := s.UseLink(t.Context(), link, "ann", hashed, false); !errors.Is(err, feed.ErrNotFound) {
					t.Errorf("%s, link %s is accepted: %v", why, link, err)
				}
			}
		}
		must(t, s.AddLink(t.Context(), "bobs", "bob"))
		raw.Do("SET", "link:stored", "user:1") // by the first versions, which noted no link with the account
		if account, err := s.Link(t.Context(), "stored"); account != "ann" || err != nil {
			t.Errorf("the link of an older version is for %q, %v", account, err)
		}
		must(t, s.AddLink(t.Context(), "first", "ann"))
		must(t, s.AddLink(t.Context(), "second", "ann"))
		refused("after a newer one", "stored", "first")
		must(t, s.UseLink(t.Context(), "second", "ann", hashed, false))
		refused("after the newest was used", "stored", "first", "second")
		must(t, s.AddLink(t.Context(), "third", "ann"))
		password := feed.PasswordHash{Sum: "chosen without a link"}
		must(t, s.ChangeAccount(t.Context(), "ann", feed.AccountChange{Password: &password}))
		refused("after the password was changed", "third")
		if err := s.AddLink(t.Context(), "sum", "nobody"); !errors.Is(err, feed.ErrNotFound) || raw.Int("EXISTS", "username.to.id:nobody") == 1 {
			t.Errorf("a link for a missing account: %v", err)
		}
		must(t, s.UseLink(t.Context(), "bobs", "bob", hashed, false))
	})
}

func TestConcurrentFirstLinksMakeOneAdmin(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		const many = 8
		var made atomic.Int32
		var wg sync.WaitGroup
		for i := range many {
			name := "admin" + strconv.Itoa(i)
			if err := s.AddLink(t.Context(), name, ""); err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				switch err := s.UseLink(t.Context(), name, name, hashed, false); {
				case err == nil:
					made.Add(1)
				case !errors.Is(err, feed.ErrNotFound):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if all, err := s.AccountsAfter(t.Context(), "", 1000); made.Load() != 1 || len(all) != 1 || err != nil {
			t.Errorf("%d links made an account; accounts: %+v, %v", made.Load(), all, err)
		}
	})
}
