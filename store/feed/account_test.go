package feed_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

func TestNamesHaveOneSpelling(t *testing.T) {
	for in, want := range map[string]string{
		" Ann ": "ann", "ann.lee@example.org": "ann.lee@example.org", "7of9": "7of9",
		"": "", ".ann": "", "ann lee": "", "ann:x": "", "änn": "", strings.Repeat("a", 65): "",
	} {
		got, err := feed.CheckName(in)
		if got != want || errors.Is(err, feed.ErrInvalid) != (want == "") {
			t.Errorf("%q became %q, %v", in, got, err)
		}
	}
}

func TestRolesGiveMoreAndMore(t *testing.T) {
	allowed := func(r feed.Role) (n int) {
		for _, s := range feed.Scopes() {
			if feed.Allow(r.Scopes(), s) {
				n++
			}
		}
		return n
	}
	got := []int{allowed("nobody")}
	for _, role := range feed.Roles() {
		got = append(got, allowed(role))
	}
	if !slices.Equal(got, []int{0, 2, 3, 6, len(feed.Scopes())}) {
		t.Errorf("the roles allow %v things", got)
	}
}

func TestScopesInCommon(t *testing.T) {
	for _, tt := range []struct{ a, b, want []feed.Scope }{
		{[]feed.Scope{feed.ScopeAdmin}, feed.RoleEditor.Scopes(), feed.RoleEditor.Scopes()},
		{[]feed.Scope{feed.ScopeRead, feed.ScopeSignals}, feed.RoleAdmin.Scopes(), []feed.Scope{feed.ScopeRead, feed.ScopeSignals}},
		{[]feed.Scope{feed.ScopeRead, feed.ScopeSignals}, feed.RoleEditor.Scopes(), []feed.Scope{feed.ScopeRead}},
		{[]feed.Scope{feed.ScopeAdmin}, feed.RoleAdmin.Scopes(), []feed.Scope{feed.ScopeAdmin}},
		{[]feed.Scope{feed.ScopeAdmin}, nil, []feed.Scope{}},
	} {
		if got := feed.CommonScopes(tt.a, tt.b); !slices.Equal(got, tt.want) {
			t.Errorf("%v and %v have %v in common, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestSessionEndsByAnyOfItsBounds(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	account := feed.Account{ID: 1, Generation: 2}
	session := feed.Session{AccountID: 1, Created: start, Seen: start, Generation: 2}
	for name, tt := range map[string]struct {
		change func(*feed.Session, *feed.Account)
		after  time.Duration
		want   bool
	}{
		"in use":         {func(*feed.Session, *feed.Account) {}, feed.SessionIdle - 1, true},
		"idle":           {func(*feed.Session, *feed.Account) {}, feed.SessionIdle, false},
		"old":            {func(s *feed.Session, _ *feed.Account) { s.Seen = start.Add(feed.SessionLife) }, feed.SessionLife, false},
		"disabled":       {func(_ *feed.Session, a *feed.Account) { a.Disabled = true }, 0, false},
		"ended":          {func(_ *feed.Session, a *feed.Account) { a.Generation++ }, 0, false},
		"another's":      {func(_ *feed.Session, a *feed.Account) { a.ID = 2 }, 0, false},
		"no such things": {func(s *feed.Session, a *feed.Account) { s.AccountID, a.ID = 0, 0 }, 0, false},
	} {
		s, a := session, account
		tt.change(&s, &a)
		if got := s.Valid(&a, start.Add(tt.after)); got != tt.want {
			t.Errorf("%s: it holds: %v", name, got)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add("fw_abc_def")
	f.Add("fw__")
	f.Add("fw_a_b_c")
	f.Fuzz(func(t *testing.T, text string) {
		id, secret, ok := feed.ParseToken(text)
		if ok && feed.TokenText(id, secret) != text {
			t.Errorf("%q was read as %q and %q", text, id, secret)
		}
	})
}

func TestScopeOfSourcesIncludesThatOfEntries(t *testing.T) {
	sources, entries := []feed.Scope{feed.ScopeSources}, []feed.Scope{feed.ScopeEntries}
	if !feed.Allow(sources, feed.ScopeEntries) || feed.Allow(entries, feed.ScopeSources) || feed.Allow([]feed.Scope{feed.ScopePublish}, feed.ScopeEntries) {
		t.Error("the scope of entries is wrong")
	}
	for _, tt := range []struct{ a, b, want []feed.Scope }{
		{sources, sources, sources}, {sources, entries, entries}, {feed.RoleEditor.Scopes(), entries, entries},
		{feed.RoleEditor.Scopes(), feed.RoleEditor.Scopes(), feed.RoleEditor.Scopes()}, {feed.RoleViewer.Scopes(), entries, nil},
	} {
		if got := feed.CommonScopes(tt.a, tt.b); !slices.Equal(got, tt.want) {
			t.Errorf("common scopes of %v and %v are %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
