package users_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/store/feed"
)

// 003-9, 003-10
func TestOwnerChangesTheProfile(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleMember)
	profile := func() feed.Profile {
		t.Helper()
		p, err := o.Profile(t.Context(), o.account("ann").ID)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	send := func(about, email, current string) *httptest.ResponseRecorder {
		return b.Send(http.MethodPost, "/account/profile", url.Values{"about": {about}, "email": {email}, "current": {current}})
	}
	if rec := send("I like <b>cranes</b>", "", ""); rec.Code != http.StatusSeeOther || profile().About != "I like <b>cranes</b>" {
		t.Errorf("got %d, %+v", rec.Code, profile())
	}
	for _, wrong := range []string{"", "wrong words"} {
		rec := send("Other", "eve@example.org", wrong)
		if page := rec.Body.String(); rec.Code != 422 || profile() != (feed.Profile{About: "I like <b>cranes</b>"}) ||
			!strings.Contains(page, "needs the current password") || !strings.Contains(page, ">Other</textarea>") || !strings.Contains(page, `value="eve@example.org"`) {
			t.Errorf("another address with the password %q got %d: %+v\n%s", wrong, rec.Code, profile(), page)
		}
	}
	send("I like cranes", "ann@example.org", password)
	if want := (feed.Profile{About: "I like cranes", Email: "ann@example.org"}); profile() != want {
		t.Errorf("got %+v", profile())
	}
	if page := b.Get("/account", 200); !strings.Contains(page, `value="ann@example.org"`) || !strings.Contains(page, ">I like cranes</textarea>") {
		t.Errorf("the page is\n%s", page)
	}
}

func TestProfileIsChangedByTheAPI(t *testing.T) {
	o := newOffice(t)
	o.add("ann", feed.RoleMember)
	o.add("bob", feed.RoleMember)
	o.add("root", feed.RoleAdmin)
	token := func(name string, scopes ...feed.Scope) string {
		a := o.account(name)
		return o.token(feed.Visitor{Name: name, Account: a, Scopes: a.Role.Scopes()}, "script", scopes...)
	}
	anns, roots := token("ann", feed.ScopeFollows, feed.ScopePosts), token("root", feed.ScopeAdmin)
	call := func(token, method, query, body string, want int) (p feed.Profile) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, "http://wire.example/api/v1/me/profile"+query, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		rec := httptest.NewRecorder()
		o.kit.ServeHTTP(rec, r)
		if rec.Code != want {
			t.Fatalf("%s %s by %s: got %d %s", method, body, token, rec.Code, rec.Body)
		}
		_ = json.Unmarshal(rec.Body.Bytes(), &p) // or it is a problem
		return p
	}
	if got := call(anns, "PATCH", "", `{"about": " Cranes "}`, 200); got != (feed.Profile{About: "Cranes"}) {
		t.Errorf("got %+v", got)
	}
	call(anns, "PATCH", "", `{"email": "ann@example.org"}`, 400)
	call(anns, "PATCH", "", `{"email": "x", "current": "`+password+`"}`, 400)
	call(anns, "PATCH", "", `{"name": "root"}`, 400)
	call(token("ann", feed.ScopeFollows), "PATCH", "", `{"about": ""}`, 403)
	call(anns, "GET", "?user=bob", "", 403)
	if got := call(anns, "PATCH", "", `{"email": "ann@example.org", "current": "`+password+`"}`, 200); got != (feed.Profile{About: "Cranes", Email: "ann@example.org"}) {
		t.Errorf("got %+v", got)
	}
	if got := call(roots, "PATCH", "?user=ann", `{"email": ""}`, 200); got != (feed.Profile{About: "Cranes"}) {
		t.Errorf("an admin got %+v", got)
	}
	if got := call(anns, "GET", "", "", 200); got != (feed.Profile{About: "Cranes"}) {
		t.Errorf("got %+v", got)
	}
	o.people.Reload(people.Access{CheckAbout: func(a *feed.Account, about string) error {
		if about != "Casino" || a.Name != "ann" {
			t.Errorf("checked %q of %s", about, a.Name)
		}
		return feed.Invalid("about", "the word is blocked")
	}})
	call(anns, "PATCH", "", `{"about": " Casino "}`, 400)
	if got := call(anns, "PATCH", "", `{"email": "", "current": "`+password+`"}`, 200); got != (feed.Profile{About: "Cranes"}) {
		t.Errorf("after a text that is refused: %+v", got)
	}
}
