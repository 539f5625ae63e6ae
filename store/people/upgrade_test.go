package people_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

// writeLayout2 writes accounts as layout 2 had them. The name of one of them is a number.
func writeLayout2(raw *storetest.Redigo, now time.Time) (sum string) {
	sum = strings.Repeat("0123456789abcdef", 4)
	for name, role := range map[string]string{"ann": "admin", "bob": "editor", "12": "reader"} {
		raw.Do("SADD", "accounts", name)
		raw.Do("HSET", "account:"+name, "name", name, "role", role, "password", "$2a$"+name, "created", now.Unix(), "generation", 7, "disabled", 0)
	}
	raw.Do("HSET", "account:bob", "disabled", 1, "link", "bobs", "last_sign_in", now.Unix())
	raw.Do("SET", "link:bobs", "bob", "EX", 600)
	raw.Do("SET", "link:stored", "12", "EX", 600) // the first versions noted no link with the account
	raw.Do("SET", "link:removed", "eve", "EX", 600)
	raw.Do("SET", "link:first", "", "EX", 600)
	raw.Do("HSET", "session:"+sum, "account", "ann", "created", now.Unix(), "seen", now.Unix(), "address", "192.0.2.1", "agent", "Browser/1", "generation", 7)
	raw.Do("EXPIRE", "session:"+sum, 5000)
	raw.Do("ZADD", "account:ann:sessions", now.Add(time.Hour).Unix(), sum, now.Unix(), strings.Repeat("f", 64)) // which has ended
	raw.Do("EXPIRE", "account:ann:sessions", 9000)
	raw.Do("ZADD", "account:ann:known", 1, "2001:db8:1:2::5", 2, "192.0.2.1")
	raw.Do("EXPIRE", "account:ann:known", 9000)
	return sum
}

func TestUpgradeKeepsAccountsSessionsAndLinks(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, raw *storetest.Redigo) {
		sum := writeLayout2(raw, now.Time)
		for range 2 { // the second time there is nothing left to do
			must(t, s.Upgrade(t.Context()))
		}
		for _, key := range raw.Keys("*") {
			if strings.HasPrefix(key, "account") || strings.HasPrefix(key, "session") {
				t.Errorf("%s is left", key)
			}
		}
		account := func(name string) feed.Account {
			a, err := s.Account(t.Context(), name)
			must(t, err)
			return a
		}
		ann, bob, twelve := account("ann"), account("bob"), account("12")
		for _, tt := range []struct{ got, want feed.Account }{
			{ann, feed.Account{Name: "ann", Role: feed.RoleAdmin}},
			{bob, feed.Account{Name: "bob", Role: feed.RoleEditor, Disabled: true, LastSignIn: now.Time}},
			{twelve, feed.Account{Name: "12", Role: feed.RoleViewer}},
		} {
			want := tt.want
			want.ID, want.Created, want.Generation, want.Password.Sum = tt.got.ID, now.Time, 7, "$2a$"+want.Name
			if diff := cmp.Diff(want, tt.got); diff != "" || tt.got.ID < 1 || tt.got.ID > 3 {
				t.Errorf("id %d (-want +got):\n%s", tt.got.ID, diff)
			}
		}
		if all, err := s.AccountsAfter(t.Context(), "", 1000); err != nil || len(all) != 3 || ann.ID == bob.ID || bob.ID == twelve.ID {
			t.Errorf("got %+v, %v", all, err)
		}
		want := feed.Session{
			Sum: sum[:40], AccountID: ann.ID, Account: "ann", Created: now.Time, Seen: now.Time, Address: "192.0.2.1", Agent: "Browser/1", Generation: 7,
		}
		got, a, err := s.Session(t.Context(), sum[:40], ann.ID)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || !got.Valid(&a, now.Time) {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for _, key := range []string{"auth:" + sum[:40], "auth:" + sum[:40] + ":session"} {
			if ttl := raw.Int("TTL", key); ttl < 4900 || ttl > 5000 {
				t.Errorf("%s expires in %d s", key, ttl)
			}
		}
		if all, err := s.Sessions(t.Context(), ann.ID); err != nil || len(all) != 1 || raw.Int("TTL", fmt.Sprint("user:", ann.ID, ":sessions")) < 8900 {
			t.Errorf("the sessions are %+v, %v", all, err)
		}
		known := raw.Strings("ZRANGE", fmt.Sprint("user:", ann.ID, ":known"), 0, -1)
		if diff := cmp.Diff([]string{"2001:db8:1:2::", "192.0.2.1"}, known); diff != "" {
			t.Errorf("known networks (-want +got):\n%s", diff)
		}
		for link, name := range map[string]string{"bobs": "bob", "stored": "12"} {
			if got, err := s.Link(t.Context(), link); got != name || err != nil {
				t.Errorf("link %s is for %q, %v", link, got, err)
			}
		}
		must(t, s.UseLink(t.Context(), "stored", "12", hashed, false))
		if raw.Int("EXISTS", "link:removed") == 1 || raw.Int("TTL", "link:bobs") < 500 {
			t.Error("the link of a removed account is left, or a link got another life")
		}
		must(t, s.AddAccount(t.Context(), feed.Account{Name: "new", Role: feed.RoleViewer}))
		if n := account("new").ID; n != 4 {
			t.Errorf("the next account has the id %d", n)
		}
	})
}

// A daemon that is killed between two accounts, or two daemons that start at once, lose nobody.
func TestInterruptedUpgradeContinues(t *testing.T) {
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		writeLayout2(raw, now.Time)
		opts.EditScript = func(name, text string) string {
			if name == "upgrade_account" {
				return "if ARGV[1] ~= 'ann' then return redis.error_reply('ERR killed') end\n" + text
			}
			return text
		}
		killed := people.New(storetest.DB(t, opts))
		if err := killed.Upgrade(t.Context()); err == nil {
			t.Fatal("the upgrade was not interrupted")
		}
		opts.EditScript = nil
		s := people.New(storetest.DB(t, opts))
		must(t, s.Upgrade(t.Context()))
		all, err := s.AccountsAfter(t.Context(), "", 1000)
		names := []string{}
		for _, a := range all {
			names = append(names, a.Name)
		}
		if diff := cmp.Diff([]string{"12", "ann", "bob"}, names); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if name, err := s.Link(t.Context(), "bobs"); name != "bob" || err != nil {
			t.Errorf("the link is for %q, %v", name, err)
		}
	})
}

func TestPasswordInAnotherFormReplacesNoOtherPassword(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		old, other, form := feed.PasswordHash{Sum: "$2a$old"}, feed.PasswordHash{Sum: "other", Salt: "s"}, feed.PasswordHash{Sum: "form", Salt: "s"}
		must(t, s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleViewer, Password: old}))
		stored := func() feed.PasswordHash {
			a, err := s.Account(t.Context(), "ann")
			must(t, err)
			return a.Password
		}
		if must(t, s.Rehash(t.Context(), 1, old, form)); stored() != form {
			t.Errorf("stored is %+v", stored())
		}
		must(t, s.ChangeAccount(t.Context(), "ann", feed.AccountChange{Password: &other}))
		if must(t, s.Rehash(t.Context(), 1, form, old)); stored() != other {
			t.Errorf("stored is %+v", stored())
		}
		must(t, s.Rehash(t.Context(), 9, old, form)) // removed meanwhile
	})
}
