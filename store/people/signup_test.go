package people_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

// invitation returns an invitation of an account.
func invitation(sum, creator string, now time.Time) feed.Invitation {
	i := feed.NewInvitation(sum)
	i.Creator, i.Created, i.Expires = creator, now, now.Add(feed.InvitationLife)
	return i
}

func TestInvitationMakesOneMember(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, raw *storetest.Redigo) {
		must(t, s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleAdmin}))
		must(t, s.AddInvitation(t.Context(), invitation("one", "ann", now.Time)))
		if ttl := raw.Int("TTL", "invitation:one"); ttl < 604700 || ttl > 604800 {
			t.Errorf("the invitation expires in %d s", ttl)
		}
		if err := s.SignUp(t.Context(), feed.SignUp{Name: "ann", Password: hashed, Invitation: "one"}); !errors.Is(err, feed.ErrExists) {
			t.Errorf("a name that is taken: %v", err)
		}
		var made atomic.Int64
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() {
				err := s.SignUp(t.Context(), feed.SignUp{Name: fmt.Sprint("mia", i), Password: hashed, Invitation: "one"})
				if err == nil {
					made.Add(1)
				} else if !errors.Is(err, feed.ErrNotFound) {
					t.Errorf("sign-up %d: %v", i, err)
				}
			})
		}
		group.Wait()
		all, err := s.AccountsAfter(t.Context(), "", 1000)
		must(t, err)
		if made.Load() != 1 || len(all) != 2 || all[1].Role != feed.RoleMember || all[1].Password != hashed || !all[1].Created.Equal(now.Time) {
			t.Errorf("%d sign-ups succeeded: %+v", made.Load(), all)
		}
		if valid, err := s.Invited(t.Context(), "one"); valid || err != nil || raw.Int("EXISTS", "invitations") != 0 {
			t.Errorf("the invitation is still valid: %v, %v", valid, err)
		}
	})
}

func TestInvitationsAreListedBoundedAndEnded(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, _ *storetest.Redigo) {
		for _, name := range []string{"ann", "bob"} {
			must(t, s.AddAccount(t.Context(), feed.Account{Name: name, Role: feed.RoleAdmin}))
		}
		sum := func(i int) string { return fmt.Sprintf("%020d", i) }
		for i := range feed.MaxInvitations {
			must(t, s.AddInvitation(t.Context(), invitation(sum(i), "bob", now.Time.Add(time.Duration(i)*time.Second))))
		}
		more := invitation("more", "ann", now.Time)
		if err := s.AddInvitation(t.Context(), more); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("one too many: %v", err)
		}
		must(t, s.RemoveInvitation(t.Context(), sum(0)))
		must(t, s.AddInvitation(t.Context(), more))
		all, err := s.Invitations(t.Context())
		must(t, err)
		if len(all) != feed.MaxInvitations || all[0] != invitation(sum(99), "bob", now.Time.Add(99*time.Second)) {
			t.Errorf("%d invitations, the newest is %+v", len(all), all[0])
		}
		_, err = s.DisableAccount(t.Context(), "bob")
		must(t, err)
		if all, err := s.Invitations(t.Context()); err != nil || len(all) != 1 || all[0].ID != "more" {
			t.Errorf("of a disabled account stay %+v, %v", all, err)
		}
		now.Advance(feed.InvitationLife)
		if all, err := s.Invitations(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("after their life stay %+v, %v", all, err)
		}
	})
}

func TestSignUpsWithoutAnInvitationAreLimited(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		signUp := func(name, network string) error {
			return s.SignUp(t.Context(), feed.SignUp{Name: name, Password: hashed, Network: network, PerDay: 2})
		}
		limited := func(err error, most time.Duration) bool {
			quota, ok := errors.AsType[*feed.QuotaError](err)
			return ok && quota.Wait > most-time.Minute && quota.Wait <= most
		}
		must(t, signUp("ann", "192.0.2.1"))
		if err := signUp("bob", "192.0.2.1"); !limited(err, 15*time.Hour) {
			t.Errorf("again from one network: %v", err)
		}
		if err := signUp("ann", "2001:db8::"); !errors.Is(err, feed.ErrExists) || raw.Int("EXISTS", "limit:create_user:2001-db8--") != 0 {
			t.Errorf("a refused name is counted for its network: %v", err)
		}
		must(t, signUp("bob", "2001:db8::"))
		if ttl := raw.Int("TTL", "limit:create_user:2001-db8--"); ttl < 53940 || ttl > 54000 {
			t.Errorf("the network waits for %d s", ttl)
		}
		if err := signUp("eve", "192.0.2.2"); !limited(err, 24*time.Hour) {
			t.Errorf("one too many in a day: %v", err)
		}
	})
}

// relatives returns who invited an account, and all whom it invited, page by page.
func relatives(t *testing.T, s *people.Store, id int64) (above, invited []int64) {
	t.Helper()
	above, err := s.Inviters(t.Context(), id)
	must(t, err)
	for after := (feed.Cursor{}); ; {
		page, next, err := s.InvitedBy(t.Context(), id, after, 1)
		must(t, err)
		invited = append(invited, page...)
		if after = next; after.IsZero() {
			return above, invited
		}
	}
}

func TestAccountsKnowWhoInvitedThem(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, raw *storetest.Redigo) {
		const most = feed.MaxInviters
		id := func(i int) int64 { return int64(i + 1) }
		name := func(i int) string { return fmt.Sprint("a", i) }
		invite := func(by int64, who string) {
			t.Helper()
			now.Advance(time.Second)
			i := invitation("for "+who, "token t", now.Time)
			i.Inviter = by
			must(t, s.AddInvitation(t.Context(), i))
			must(t, s.SignUp(t.Context(), feed.SignUp{Name: who, Password: hashed, Invitation: "for " + who}))
		}
		must(t, s.AddAccount(t.Context(), feed.Account{Name: name(0), Role: feed.RoleAdmin}))
		for i := range most + 1 {
			invite(id(i), name(i+1))
		}
		if above, _ := relatives(t, s, id(most+1)); len(above) != most || above[0] != id(most) || above[most-1] != id(1) {
			t.Errorf("above the last account are %v", above)
		}
		invite(id(1), "zoe")
		zoe := id(most + 2)
		open := invitation("open", "token t", now.Time)
		open.Inviter = id(2)
		must(t, s.AddInvitation(t.Context(), open))
		for _, removed := range []string{name(2), "zoe"} {
			_, err := s.RemoveAccount(t.Context(), removed)
			must(t, err)
		}
		if valid, err := s.Invited(t.Context(), "open"); valid || err != nil {
			t.Errorf("an invitation by a token of a removed account is valid: %v, %v", valid, err)
		}
		if above, invited := relatives(t, s, id(1)); !slices.Equal(above, []int64{id(0)}) || !slices.Equal(invited, []int64{zoe, id(2)}) {
			t.Errorf("above account 1 are %v, it invited %v", above, invited)
		}
		if above, _ := relatives(t, s, id(3)); !slices.Equal(above, []int64{id(2), id(1), id(0)}) {
			t.Errorf("above an account whose inviter was removed are %v", above)
		}
		if above, invited := relatives(t, s, zoe); len(above)+len(invited)+raw.Int("EXISTS", fmt.Sprintf("user:%d:invited", id(2))) != 0 {
			t.Errorf("of removed accounts are stored %v and %v", above, invited)
		}
		invite(0, "bob")
		if above, _ := relatives(t, s, zoe+1); len(above) != 0 || raw.Int("EXISTS", "user::invited") != 0 {
			t.Errorf("above an account that no account invited are %v", above)
		}
	})
}
