package people_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestTokenIsAddedUsedAndRemoved(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, raw *storetest.Redigo) {
		token := feed.Token{
			ID: "abc", Name: "nightly", Scopes: []feed.Scope{feed.ScopeRead}, Creator: "ann", Created: now.Time,
			Expires: now.Time.Add(time.Hour), Sum: "sum", FeverSum: "fever sum",
		}
		if err := s.AddToken(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		got, err := s.Token(t.Context(), "abc")
		if diff := cmp.Diff(token, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if id, err := s.FeverToken(t.Context(), "fever sum"); err != nil || id != "abc" {
			t.Errorf("the token of a Fever app is %q, %v", id, err)
		}
		for _, other := range []string{"sum", ""} {
			if _, err := s.FeverToken(t.Context(), other); !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("found by %q: %v", other, err)
			}
		}
		if err := s.UsedToken(t.Context(), "abc"); err != nil {
			t.Fatal(err)
		}
		token.Sum, token.FeverSum, token.LastUsed = "", "", now.Time
		all, err := s.Tokens(t.Context())
		if diff := cmp.Diff([]feed.Token{token}, all); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if err := s.RemoveToken(t.Context(), "abc"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Token(t.Context(), "abc"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("it was not removed: %v", err)
		}
		if n := raw.Int("EXISTS", "tokens", "tokens:used", "tokens:fever"); n != 0 {
			t.Errorf("%d keys are left", n)
		}
		if err := s.RemoveToken(t.Context(), "abc"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("removing it again: %v", err)
		}
		for i := range feed.MaxAppTokens {
			raw.Do("HSET", "tokens", i, "{}")
		}
		app := feed.Token{ID: "app", Name: "phone", Creator: "ann", Scopes: []feed.Scope{feed.ScopeFollows, feed.ScopePosts}}
		if err := s.AddToken(t.Context(), app); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("one more app password than the maximum was added: %v", err)
		}
		token.Scopes = []feed.Scope{feed.ScopeFollows, feed.ScopeRead}
		if err := s.AddToken(t.Context(), token); err != nil {
			t.Errorf("app passwords leave no room: %v", err)
		}
		for i := range feed.MaxTokens - 1 {
			raw.Do("HSET", "tokens", i, "{}")
		}
		token.ID = "one more"
		if err := s.AddToken(t.Context(), token); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("one more than the maximum was added: %v", err)
		}
	})
}

func TestTokenIsReadWithTheAccountOfItsCreator(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, _ *storetest.Redigo) {
		if err := s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleEditor, Created: now.Time}); err != nil {
			t.Fatal(err)
		}
		ann, err := s.Account(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		for creator, account := range map[string]feed.Account{"ann": ann, "bob": {}, feed.DaemonToken: {}} {
			token := feed.Token{ID: "id-" + creator, Creator: creator, Created: now.Time, Sum: "sum"}
			if err := s.AddToken(t.Context(), token); err != nil {
				t.Fatal(err)
			}
			if err := s.UsedToken(t.Context(), token.ID); err != nil {
				t.Fatal(err)
			}
			token.LastUsed = now.Time
			got, a, err := s.TokenAccount(t.Context(), token.ID)
			if diff := cmp.Diff(token, got) + cmp.Diff(account, a); err != nil || diff != "" {
				t.Errorf("token of %s: %v (-want +got):\n%s", creator, err, diff)
			}
		}
		if _, _, err := s.TokenAccount(t.Context(), "other"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("an unknown token: %v", err)
		}
	})
}
