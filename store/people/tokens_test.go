package people_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
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
	})
}

// fillTokens leaves n tokens of a creator that can read.
func fillTokens(raw *storetest.Redigo, creator string, n int) {
	args := []any{"tokens"}
	for i := range n {
		args = append(args, fmt.Sprint(creator, i), fmt.Sprintf(`{"creator":%q,"scopes":["read"]}`, creator))
	}
	raw.Do("HSET", args...)
}

func TestTokensAreBounded(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, raw *storetest.Redigo) {
		added := 0
		add := func(creator string, scopes ...feed.Scope) error {
			added++
			return s.AddToken(t.Context(), feed.Token{ID: fmt.Sprint("t", added), Creator: creator, Created: now.Time, Scopes: scopes})
		}
		wantFull := func(what string, err error, text string) {
			t.Helper()
			if !errors.Is(err, feed.ErrConflict) || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v", what, err)
			}
		}
		for range feed.MaxAppsOf {
			if err := add("ann", feed.ScopeFollows, feed.ScopePosts); err != nil {
				t.Fatal(err)
			}
		}
		wantFull("one more app password", add("ann", feed.ScopeFollows), "20 app passwords")
		fillTokens(raw, "ann", feed.MaxTokensOf-feed.MaxAppsOf-1)
		if err := add("ann", feed.ScopeFollows, feed.ScopeRead); err != nil {
			t.Errorf("the last token: %v", err)
		}
		wantFull("one more token", add("ann", feed.ScopeRead), "500 tokens")
		if err := errors.Join(add("anna", feed.ScopeFollows), add("an", feed.ScopeRead)); err != nil {
			t.Errorf("other accounts: %v", err)
		}
		if own, err := s.TokensOf(t.Context(), "anna"); err != nil || len(own) != 1 || own[0].Creator != "anna" {
			t.Errorf("the tokens of anna are %+v, %v", own, err)
		}
		fillTokens(raw, "others", feed.MaxAppTokens-raw.Int("HLEN", "tokens"))
		wantFull("app passwords leave room", add("bob", feed.ScopeFollows), "4000 tokens")
		if err := add("bob", feed.ScopeRead); err != nil {
			t.Errorf("app passwords leave no room: %v", err)
		}
		fillTokens(raw, "others", feed.MaxTokens-feed.MaxTokensOf-3)
		wantFull("one more than all", add("bob", feed.ScopeRead), "5000 tokens")
	})
}

func TestParallelAppPasswordsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, s *people.Store, now *storetest.Clock, _ *storetest.Redigo) {
		var added atomic.Int32
		var all sync.WaitGroup
		for worker := range 4 {
			all.Go(func() {
				for i := range feed.MaxAppsOf / 2 {
					app := feed.Token{ID: fmt.Sprint(worker, "-", i), Creator: "ann", Created: now.Time, Scopes: feed.AppScopes()}
					if err := s.AddToken(t.Context(), app); err == nil {
						added.Add(1)
					} else if !errors.Is(err, feed.ErrConflict) {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if own, err := s.TokensOf(t.Context(), "ann"); err != nil || len(own) != feed.MaxAppsOf || int(added.Load()) != feed.MaxAppsOf {
			t.Errorf("%d app passwords, %d requests succeeded, %v", len(own), added.Load(), err)
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
