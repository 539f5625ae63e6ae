package people_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestLastAdminIsNotDemotedDisabledOrRemoved(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		for name, role := range map[string]feed.Role{"ann": feed.RoleAdmin, "bob": feed.RoleAdmin, "eve": feed.RoleEditor} {
			must(t, s.AddAccount(t.Context(), feed.Account{Name: name, Role: role}))
		}
		viewer, admin := feed.RoleViewer, feed.RoleAdmin
		ways := map[string]func(name string) error{
			"demoted":  func(name string) error { return s.ChangeAccount(t.Context(), name, feed.AccountChange{Role: &viewer}) },
			"disabled": func(name string) error { _, err := s.DisableAccount(t.Context(), name); return err },
			"removed":  func(name string) error { _, err := s.RemoveAccount(t.Context(), name); return err },
		}
		_, err := s.DisableAccount(t.Context(), "bob") // who then does not count
		must(t, err)
		for how, do := range ways {
			if err := do("ann"); !errors.Is(err, feed.ErrConflict) {
				t.Errorf("the last admin is %s: %v", how, err)
			}
			if err := do("nobody"); !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("a missing account is %s: %v", how, err)
			}
		}
		must(t, s.ChangeAccount(t.Context(), "ann", feed.AccountChange{Role: &admin})) // which changes nothing
		must(t, s.ChangeAccount(t.Context(), "bob", feed.AccountChange{Enable: true}))
		must(t, ways["removed"]("ann"))
		must(t, ways["removed"]("eve"))
		if all, err := s.AccountsAfter(t.Context(), "", 1000); err != nil || len(all) != 1 || all[0].Name != "bob" || all[0].Disabled {
			t.Errorf("left are %+v, %v", all, err)
		}
	})
}

func TestEndedAccountLosesTokensSessionsAndLink(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, raw *storetest.Redigo) {
		must(t, s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleAdmin}))
		for _, end := range []func() ([]feed.Token, error){
			func() ([]feed.Token, error) { return s.DisableAccount(t.Context(), "bob") },
			func() ([]feed.Token, error) { return s.RemoveAccount(t.Context(), "bob") },
		} {
			must(t, s.AddAccount(t.Context(), feed.Account{Name: "bob", Role: feed.RoleAdmin}))
			before, err := s.Account(t.Context(), "bob")
			must(t, err)
			for id, creator := range map[string]string{"one": "bob", "two": "bob", "anns": "ann", "daemons": feed.DaemonToken} {
				must(t, s.AddToken(t.Context(), feed.Token{ID: id, Name: id, Creator: creator, Created: now.Time, Sum: "sum", FeverSum: id, OfAccount: creator == "bob"}))
				must(t, s.UsedToken(t.Context(), id))
			}
			must(t, s.AddSession(t.Context(), feed.Session{Sum: "session", AccountID: before.ID, Created: now.Time, Seen: now.Time, Generation: before.Generation}))
			must(t, s.AddLink(t.Context(), "link", "bob"))
			revoked, err := end()
			if err != nil || len(revoked) != 2 || revoked[0].ID != "one" || revoked[1].ID != "two" || revoked[0].Sum != "" {
				t.Errorf("revoked are %+v, %v", revoked, err)
			}
			if all, err := s.Tokens(t.Context()); err != nil || len(all) != 2 || raw.Int("HLEN", "tokens:used") != 2 || raw.Int("HLEN", "tokens:fever") != 2 {
				t.Errorf("left are %+v, %v", all, err)
			}
			if raw.Int("EXISTS", "auth:session", "auth:session:session", fmt.Sprint("user:", before.ID, ":sessions")) != 0 {
				t.Error("a session is left")
			}
			if _, err := s.Link(t.Context(), "link"); !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("the link is valid: %v", err)
			}
			late := feed.Token{ID: "late", Name: "late", Creator: "bob", OfAccount: true}
			if err := s.AddToken(t.Context(), late); !errors.Is(err, feed.ErrConflict) {
				t.Errorf("a request that began before has created a token: %v", err)
			}
			if err := s.AddLink(t.Context(), "late", "bob"); raw.Int("EXISTS", "username.to.id:bob") == 0 && !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("a removed account has a new link: %v", err)
			}
			_, _ = s.RemoveAccount(t.Context(), "bob")
		}
	})
}

func TestEnablingAnAccountRevivesNoToken(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		must(t, s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleAdmin}))
		must(t, s.AddToken(t.Context(), feed.Token{ID: "abc", Name: "nightly", Creator: "ann"}))
		enable := func() {
			t.Helper()
			must(t, s.ChangeAccount(t.Context(), "ann", feed.AccountChange{Enable: true}))
		}
		enable() // which changes nothing: ann is not disabled
		if _, err := s.Token(t.Context(), "abc"); err != nil {
			t.Error(err)
		}
		raw.Do("HSET", "user:1", "disabled", 1) // as older versions did
		enable()
		if a, err := s.Account(t.Context(), "ann"); err != nil || a.Disabled {
			t.Errorf("got %+v, %v", a, err)
		}
		if _, err := s.Token(t.Context(), "abc"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("the token is valid again: %v", err)
		}
	})
}

func TestNameOfARemovedAccountIsNew(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, raw *storetest.Redigo) {
		must(t, s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleAdmin}))
		must(t, s.AddAccount(t.Context(), feed.Account{Name: "bob", Role: feed.RoleEditor}))
		old, err := s.Account(t.Context(), "bob")
		must(t, err)
		_, err = s.RemoveAccount(t.Context(), "bob")
		must(t, err)
		if n := raw.Int("EXISTS", "username.to.id:bob", "user:2", "user:2:known", "user:2:sessions"); n != 0 {
			t.Errorf("%d keys are left", n)
		}
		now.Advance(time.Second)
		must(t, s.AddAccount(t.Context(), feed.Account{Name: "bob", Role: feed.RoleViewer}))
		bob, err := s.Account(t.Context(), "bob")
		late := feed.Session{AccountID: old.ID, Created: now.Time, Seen: now.Time, Generation: old.Generation} // its password was checked before
		if err != nil || late.Valid(&bob, now.Time) {
			t.Errorf("a session of the removed account is valid: %v", err)
		}
	})
}
