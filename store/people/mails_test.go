package people_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

// addMember adds an account with a password and an address of mail, and returns its id.
func addMember(t *testing.T, s *people.Store, name, email string) int64 {
	t.Helper()
	must(t, s.AddAccount(t.Context(), feed.Account{Name: name, Role: feed.RoleMember, Password: hashed}))
	a, err := s.Account(t.Context(), name)
	must(t, err)
	must(t, s.ChangeProfile(t.Context(), a.ID, feed.ProfileChange{Email: &email}))
	return a.ID
}

// claims fails the test unless the mails that are due are the wanted ones, which it leaves in the queue.
func claims(t *testing.T, s *people.Store, what string, want ...feed.Mail) {
	t.Helper()
	var got []feed.Mail
	for {
		m, ok, err := s.ClaimMail(t.Context())
		must(t, err)
		if !ok {
			break
		}
		got = append(got, m)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: mails %v are due, want %v", what, got, want)
	}
}

// 003-13
func TestAccountRequestsALinkOnceADay(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, raw *storetest.Redigo) {
		ctx, ann := t.Context(), addMember(t, s, "ann", "Ann@example.org")
		request := func(name, email string) {
			t.Helper()
			must(t, s.RequestReset(ctx, name, email, "192.0.2.1"))
			raw.Do("DEL", "limit:reset:192.0.2.1")
		}
		addMember(t, s, "bob", "")
		addMember(t, s, "eve", "eve@example.org")
		_, err := s.DisableAccount(ctx, "eve")
		must(t, err)
		for name, email := range map[string]string{"ann": "other@example.org", "bob": "", "eve": "eve@example.org", "nobody": "ann@example.org", "": ""} {
			request(name, email)
		}
		claims(t, s, "no account has this name and address")
		request("ann", "ann@EXAMPLE.org")
		first := feed.Mail{Kind: feed.MailReset, AccountID: ann, Requested: now.Time}
		claims(t, s, "requested", first)
		claims(t, s, "claimed")
		if got := raw.Int("HGET", fmt.Sprint("user:", ann), "pwd_reset"); got != int(now.Time.Unix()) {
			t.Errorf("pwd_reset is %d", got)
		}
		now.Advance(feed.MailRetry)
		claims(t, s, "the daemon was killed before it finished the mail", first)
		must(t, s.FinishMail(ctx, first, false))
		now.Advance(feed.ResetPause - feed.MailRetry - time.Second)
		request("ann", "ann@example.org")
		claims(t, s, "sent, and requested again within a day")
		now.Advance(time.Second)
		request("ann", "ann@example.org")
		second := feed.Mail{Kind: feed.MailReset, AccountID: ann, Requested: now.Time}
		claims(t, s, "a day later", second)
		must(t, s.FinishMail(ctx, second, true))
		request("ann", "ann@example.org")
		claims(t, s, "after one that was given up", second)
	})
}

func TestRequestsOfANetworkAreLimited(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		for range 10 {
			must(t, s.RequestReset(t.Context(), "nobody", "ann@example.org", "2001:db8::"))
		}
		err := s.RequestReset(t.Context(), "nobody", "ann@example.org", "2001:db8::")
		quota, ok := errors.AsType[*feed.QuotaError](err)
		if !ok || quota.Wait <= 0 || quota.Wait > time.Hour || raw.Int("TTL", "limit:reset:2001-db8--") <= 0 {
			t.Errorf("got %v", err)
		}
		must(t, s.RequestReset(t.Context(), "nobody", "ann@example.org", "192.0.2.1"))
	})
}

func TestMailsToAnAddressAreCounted(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		for want := range 3 {
			if n, err := s.MailsTo(t.Context(), "ann@example.org"); err != nil || n != want {
				t.Errorf("%d mails, %v, want %d", n, err, want)
			}
			must(t, s.CountMail(t.Context(), "Ann@example.org"))
		}
		if ttl := raw.Int("TTL", "limit:mail:"+feed.HashSecret("ann@example.org")); ttl < 86_390 || ttl > 86_400 {
			t.Errorf("they are counted for %d s", ttl)
		}
	})
}

func TestOwnerGetsANoticeOfAnotherPassword(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, _ *storetest.Redigo) {
		ctx, ann := t.Context(), addMember(t, s, "ann", "ann@example.org")
		addMember(t, s, "bob", "")
		must(t, s.AddAccount(ctx, feed.Account{Name: "new", Role: feed.RoleMember}))
		other := feed.PasswordHash{Sum: "other"}
		must(t, s.RequestReset(ctx, "ann", "ann@example.org", "192.0.2.1"))
		must(t, s.ChangeAccount(ctx, "ann", feed.AccountChange{Password: &other}))
		claims(t, s, "no mail is sent here, and the link is not needed")
		for _, name := range []string{"ann", "bob", "new"} {
			must(t, s.ChangeAccount(ctx, name, feed.AccountChange{Password: &other, Notify: true}))
			must(t, s.ChangeAccount(ctx, name, feed.AccountChange{EndSessions: true, Notify: true}))
		}
		notice := feed.Mail{Kind: feed.MailChanged, AccountID: ann, Requested: now.Time}
		claims(t, s, "changed", notice)
		must(t, s.FinishMail(ctx, notice, false))
		now.Advance(time.Hour - time.Second)
		must(t, s.ChangeAccount(ctx, "ann", feed.AccountChange{Password: &other, Notify: true}))
		claims(t, s, "changed again within an hour")
		now.Advance(time.Second)
		must(t, s.AddLink(ctx, "sum", "ann"))
		must(t, s.UseLink(ctx, "sum", "ann", hashed, true))
		notice.Requested = now.Time
		claims(t, s, "changed with a link", notice)
	})
}

func TestOneOfConcurrentUsesOfALinkWins(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		addMember(t, s, "ann", "ann@example.org")
		must(t, s.AddLink(t.Context(), "sum", "ann"))
		var used atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				switch err := s.UseLink(t.Context(), "sum", "ann", feed.PasswordHash{Sum: fmt.Sprint(i)}, true); {
				case err == nil:
					used.Add(1)
				case !errors.Is(err, feed.ErrNotFound):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if a, err := s.Account(t.Context(), "ann"); err != nil || used.Load() != 1 || a.Generation != 1 {
			t.Errorf("the link was used %d times: %+v, %v", used.Load(), a, err)
		}
	})
}
