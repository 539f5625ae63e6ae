package users_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

var appPassword = regexp.MustCompile(`<code>(fw_([a-z0-9]+)_[\w-]+)</code>`)

func TestAccountHasAppPasswords(t *testing.T) {
	o := newOffice(t)
	bob := o.in("bob", feed.RoleMember)
	o.token(feed.Visitor{Name: "bob"}, "other", feed.ScopeRead)
	rec := bob.Send(http.MethodPost, "/account/apps", url.Values{"name": {"NetNewsWire"}})
	m := appPassword.FindStringSubmatch(rec.Body.String())
	if m == nil {
		t.Fatalf("got %d: %s", rec.Code, rec.Body)
	}
	token, err := o.Token(t.Context(), m[2])
	if err != nil || token.Creator != "bob" || len(token.Scopes) != 1 || token.Scopes[0] != feed.ScopeFollows || !token.Expires.IsZero() {
		t.Errorf("the token is %+v, %v", token, err)
	}
	page := bob.Get("/account", http.StatusOK)
	if !strings.Contains(page, "NetNewsWire") || strings.Contains(page, m[1]) || strings.Contains(page, ">other<") {
		t.Errorf("the page is %s", page)
	}
	revoke := "/account/apps/" + m[2] + "/revoke"
	ann := o.in("ann", feed.RoleMember)
	if rec := ann.Send(http.MethodPost, revoke, nil); rec.Code != http.StatusSeeOther || !strings.Contains(bob.Get("/account", http.StatusOK), "NetNewsWire") {
		t.Errorf("another account revokes it: %d", rec.Code)
	}
	if rec := bob.Send(http.MethodPost, revoke, nil); rec.Code != http.StatusSeeOther {
		t.Errorf("got %d: %s", rec.Code, rec.Body)
	}
	if page := bob.Get("/account", http.StatusOK); strings.Contains(page, "NetNewsWire") {
		t.Error("the app password is not revoked")
	}
	rec = bob.Send(http.MethodPost, "/account/apps", url.Values{"name": {"Phone"}, "scopes": {"follows", "posts"}})
	if m = appPassword.FindStringSubmatch(rec.Body.String()); m == nil {
		t.Fatalf("got %d: %s", rec.Code, rec.Body)
	}
	if token, err := o.Token(t.Context(), m[2]); err != nil || !slices.Equal(token.Scopes, []feed.Scope{feed.ScopeFollows, feed.ScopePosts}) {
		t.Errorf("the token that writes posts is %+v, %v", token, err)
	}
	for _, scope := range []string{"read", "admin", "none"} {
		if rec := bob.Send(http.MethodPost, "/account/apps", url.Values{"name": {"Phone"}, "scopes": {scope}}); rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("an app with the scope %s: got %d", scope, rec.Code)
		}
	}
	for i := range 20 {
		want := http.StatusOK
		if i == 19 {
			want = http.StatusConflict
		}
		if rec := bob.Send(http.MethodPost, "/account/apps", url.Values{"name": {"App"}}); rec.Code != want {
			t.Errorf("app password %d: got %d", i, rec.Code)
		}
	}
}

func TestRevokedTokenDoesNotReadWhileTheStoreIsAway(t *testing.T) {
	o := newOffice(t)
	bob := o.in("bob", feed.RoleAdmin)
	admin := o.token(feed.Visitor{Name: feed.DaemonToken}, "desk", feed.ScopeAdmin)
	for _, way := range []struct {
		name   string
		revoke func(id string) int
		status int
	}{
		{"the page of the account", func(id string) int { return bob.Send(http.MethodPost, "/account/apps/"+id+"/revoke", nil).Code }, 303},
		{"the API of app passwords", func(id string) int { return o.call(admin, "DELETE", "/api/v1/me/apps/"+id+"?user=bob", "").Code }, 204},
		{"the page of tokens", func(id string) int { return bob.Send(http.MethodPost, "/tokens/"+id+"/revoke", nil).Code }, 303},
		{"the API of tokens", func(id string) int { return o.call(admin, "DELETE", "/api/v1/tokens/"+id, "").Code }, 204},
	} {
		app := o.token(feed.Visitor{Name: "bob"}, "phone", feed.ScopeFollows)
		known := func() bool {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Authorization", "Bearer "+app)
			v, _ := o.people.FromAPI(r)
			return v.Known()
		}
		if !known() {
			t.Fatalf("%s: the app password is not valid", way.name)
		}
		id, _, _ := feed.ParseToken(app)
		if status := way.revoke(id); status != way.status {
			t.Errorf("%s: got %d", way.name, status)
		}
		o.SetAway(true)
		if known() {
			t.Errorf("revoked by %s, it reads while the store is away", way.name)
		}
		o.SetAway(false)
	}
}

func TestAppPasswordCannotChangeAppPasswords(t *testing.T) {
	o := newOffice(t)
	bob := o.in("bob", feed.RoleAdmin)
	app := o.token(feed.Visitor{Name: "bob"}, "phone", feed.ScopeFollows, feed.ScopePosts)
	id, _, _ := feed.ParseToken(app)
	for _, call := range [][2]string{{"POST", "/api/v1/me/apps"}, {"POST", "/api/v1/me/apps?user=bob"}, {"DELETE", "/api/v1/me/apps/" + id}} {
		rec := o.call(app, call[0], call[1], `{"name": "laptop"}`)
		if rec.Code != http.StatusForbidden || !strings.Contains(rec.Body.String(), "sign in and use Your account") {
			t.Errorf("%s: got %d %s", call, rec.Code, rec.Body)
		}
	}
	if page := bob.Get("/account", http.StatusOK); !strings.Contains(page, "phone") || strings.Contains(page, "laptop") {
		t.Errorf("the page is %s", page)
	}
	if rec := o.call(app, "GET", "/api/v1/me/apps", ""); rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), id) {
		t.Errorf("the list: %d %s", rec.Code, rec.Body)
	}
	o.add("ann", feed.RoleMember)
	admin := o.token(feed.Visitor{Name: "bob"}, "desk", feed.ScopeAdmin)
	if rec := o.call(admin, "POST", "/api/v1/me/apps?user=ann", `{"name": "laptop"}`); rec.Code != http.StatusCreated {
		t.Errorf("by an admin: %d %s", rec.Code, rec.Body)
	}
}

func TestNameOfATokenIsRefusedWithItsKind(t *testing.T) {
	o := newOffice(t)
	ann := o.in("ann", feed.RoleAdmin)
	for _, form := range []struct{ path, scope, want string }{
		{"/account/apps", "follows", "without control or other invisible characters, what the app password is for"},
		{"/tokens", "read", "without control or other invisible characters, what the token is for"},
	} {
		rec := ann.Send(http.MethodPost, form.path, url.Values{"name": {"a\x01b"}, "scopes": {form.scope}})
		if rec.Code != http.StatusUnprocessableEntity || !strings.Contains(rec.Body.String(), form.want) {
			t.Errorf("%s: got %d %s", form.path, rec.Code, rec.Body)
		}
	}
}
