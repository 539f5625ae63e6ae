package people_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestAccountIsAddedChangedAndListed(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, _ *storetest.Redigo) {
		ann := feed.Account{Name: "ann", Role: feed.RoleEditor, Created: now.Time, Password: feed.PasswordHash{Sum: "hash", Salt: "salt"}}
		if err := s.AddAccount(t.Context(), ann); err != nil {
			t.Fatal(err)
		}
		if err := s.AddAccount(t.Context(), ann); !errors.Is(err, feed.ErrExists) {
			t.Errorf("adding it again: %v", err)
		}
		role, password, at := feed.RoleAdmin, feed.PasswordHash{Sum: "other", Salt: "more"}, now.Time.Add(time.Hour)
		change := feed.AccountChange{Role: &role, Password: &password, LastSignIn: &at, EndSessions: true}
		if err := s.ChangeAccount(t.Context(), "ann", change); err != nil {
			t.Fatal(err)
		}
		want := feed.Account{
			ID: 1, Name: "ann", Role: role, Created: now.Time, Password: password, LastSignIn: at, Generation: 1,
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
				t.Errorf("%s of a missing account: %v", name, err)
			}
		}
		if err := s.AddAccount(t.Context(), feed.Account{Name: "abe", Role: feed.RoleViewer}); err != nil {
			t.Fatal(err)
		}
		if all, err := s.AccountsAfter(t.Context(), "", 1000); err != nil || len(all) != 2 || all[0].Name != "abe" {
			t.Errorf("got %+v, %v", all, err)
		}
	})
}

func TestAccountsAreListedInPages(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		var want []string
		for i := range 7 {
			name := fmt.Sprint("user", i)
			want = append(want, name)
			must(t, s.AddAccount(t.Context(), feed.Account{Name: name, Role: feed.Roles()[i%4]}))
		}
		list := func() (names []string) {
			t.Helper()
			for after := ""; ; {
				page, err := s.AccountsAfter(t.Context(), after, 3)
				must(t, err)
				if len(page) == 0 || len(page) > 3 {
					return names
				}
				for _, a := range page {
					names, after = append(names, a.Name), a.Name
				}
			}
		}
		if got := list(); !slices.Equal(got, want) {
			t.Errorf("the accounts are %v", got)
		}
		_, err := s.RemoveAccount(t.Context(), "user4")
		must(t, err)
		want = slices.Delete(want, 4, 5)
		for _, damage := range [][]any{{"DEL", "users.names"}, {"ZREM", "users.names", "user2"}, {"ZADD", "users.names", 0, "nobody"}} {
			raw.Do(damage[0].(string), damage[1:]...) // as an older version leaves it
			if got := list(); !slices.Equal(got, want) {
				t.Errorf("after %v the accounts are %v", damage, got)
			}
		}
		named, err := s.AccountsNamed(t.Context(), []string{"user1", "user4", "nobody"})
		if err != nil || len(named) != 1 || named["user1"].Role != feed.RoleViewer {
			t.Errorf("by name: %+v, %v", named, err)
		}
		if staffed, err := s.HasStaff(t.Context()); err != nil || !staffed {
			t.Errorf("there is staff: %v, %v", staffed, err)
		}
	})
}

func TestMembersAreListedBesideTheStaff(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		for name, role := range map[string]feed.Role{"ann": feed.RoleAdmin, "bob": feed.RoleMember, "eve": feed.RoleViewer} {
			must(t, s.AddAccount(t.Context(), feed.Account{Name: name, Role: role}))
		}
		lists := func(staff, members int, when string) {
			t.Helper()
			all, err := s.AccountsAfter(t.Context(), "", 1000)
			if err != nil || len(all) != staff+members || raw.Int("SCARD", "staff") != staff || raw.Int("SCARD", "members") != members {
				t.Errorf("%s: %+v, %v, %d staff and %d members", when, all, err, raw.Int("SCARD", "staff"), raw.Int("SCARD", "members"))
			}
			for _, a := range all {
				if a.Role == "" {
					t.Errorf("%s: %s has no role", when, a.Name)
				}
			}
		}
		lists(2, 1, "added")
		member, editor := feed.RoleMember, feed.RoleEditor
		must(t, s.ChangeAccount(t.Context(), "bob", feed.AccountChange{Role: &editor}))
		lists(3, 0, "promoted")
		must(t, s.ChangeAccount(t.Context(), "eve", feed.AccountChange{Role: &member}))
		must(t, s.ChangeAccount(t.Context(), "eve", feed.AccountChange{EndSessions: true}))
		lists(2, 1, "demoted")
		if err := s.ChangeAccount(t.Context(), "ann", feed.AccountChange{Role: &member}); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("the last admin becomes a member: %v", err)
		}
		_, err := s.RemoveAccount(t.Context(), "eve")
		must(t, err)
		lists(2, 0, "removed")
	})
}
