package users_test

import (
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

var demotions = flag.Int("demotions", 25, "times that two admins demote each other")

// call sends a request with a bearer token.
func (o *office) call(token, method, path, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+token)
	rec := httptest.NewRecorder()
	o.kit.ServeHTTP(rec, req)
	return rec
}

// token returns the text of a token that a visitor creates.
func (o *office) token(v feed.Visitor, name string, scopes ...feed.Scope) string {
	o.t.Helper()
	_, text, err := o.people.CreateToken(o.t.Context(), &v, name, scopes, 0)
	if err != nil {
		o.t.Fatal(err)
	}
	return text
}

func TestTokenLosesTheRightsThatItsCreatorLoses(t *testing.T) {
	o := newOffice(t)
	o.add("ann", feed.RoleAdmin)
	o.add("bob", feed.RoleAdmin)
	full := o.token(feed.Visitor{Name: "bob"}, "full", feed.ScopeAdmin)
	// A token that a token creates has the same creator.
	made := webtest.Read[struct{ Token, Creator string }](t, o.call(full, "POST", "/api/v1/tokens", `{"name":"made","scopes":["sources"]}`))
	if made.Creator != "bob" {
		t.Errorf("its creator is %q", made.Creator)
	}
	change := func(role feed.Role) {
		t.Helper()
		if _, _, err := o.people.Change(t.Context(), "bob", feed.AccountChange{Role: &role}); err != nil {
			t.Fatal(err)
		}
	}
	allowed := func() (all []string) {
		for _, what := range []struct{ token, method, path string }{
			{full, "GET", "/api/v1/users"}, {full, "POST", "/api/v1/sources/poll"}, {full, "GET", "/api/v1/status"}, {made.Token, "POST", "/api/v1/sources/poll"},
		} {
			switch rec := o.call(what.token, what.method, what.path, ""); {
			case rec.Code < 300:
				all = append(all, what.path)
			case rec.Code != 403 || !strings.Contains(rec.Body.String(), "bob has the role"):
				t.Errorf("%s got %d %s", what.path, rec.Code, rec.Body)
			}
		}
		return all
	}
	for _, tt := range []struct {
		role feed.Role
		want []string
	}{
		{feed.RoleAdmin, []string{"/api/v1/users", "/api/v1/sources/poll", "/api/v1/status", "/api/v1/sources/poll"}},
		{feed.RoleEditor, []string{"/api/v1/sources/poll", "/api/v1/status", "/api/v1/sources/poll"}},
		{feed.RoleViewer, []string{"/api/v1/status"}},
		{feed.RoleAdmin, []string{"/api/v1/users", "/api/v1/sources/poll", "/api/v1/status", "/api/v1/sources/poll"}},
	} {
		change(tt.role)
		if got := allowed(); !slices.Equal(got, tt.want) {
			t.Errorf("as %s it may use %v, want %v", tt.role, got, tt.want)
		}
	}
	change(feed.RoleViewer)
	admin := o.browser()
	admin.signIn("ann", password)
	if page := admin.Get("/tokens", 200); !strings.Contains(page, "now only read, follows, posts: bob has lost the others") ||
		!strings.Contains(page, "now none: bob has lost them") {
		t.Errorf("the page does not show what the tokens have lost:\n%s", page)
	}
	list := webtest.Read[feed.Page[feed.Token]](t, admin.Send(http.MethodGet, "/api/v1/tokens", nil))
	if len(list.Items) != 2 || len(list.Items[0].Effective)+len(list.Items[1].Effective) != 3 {
		t.Errorf("the API lists %+v", list.Items)
	}
}

func TestDisablingOrRemovingAnAccountRevokesItsTokens(t *testing.T) {
	o := newOffice(t)
	o.add("ann", feed.RoleAdmin)
	admin := o.browser()
	admin.signIn("ann", password)
	anns := o.token(feed.Visitor{Name: "ann"}, "anns", feed.ScopeRead)
	for _, path := range []string{"/users/bob/disable", "/users/bob/remove"} {
		o.add("bob", feed.RoleAdmin)
		nightly := o.token(feed.Visitor{Name: "bob"}, "nightly", feed.ScopeAdmin)
		if rec := o.call(nightly, "GET", "/api/v1/users", ""); rec.Code != 200 {
			t.Fatalf("the token does not work: %d", rec.Code)
		}
		if page := admin.Get("/users", 200); !strings.Contains(page, "tokens: nightly") || strings.Contains(page, "/users/bob/remove") {
			t.Errorf("the page does not list what would be revoked:\n%s", page)
		}
		rec := admin.Send(http.MethodPost, path, nil)
		if page := rec.Body.String(); rec.Code != 200 || !strings.Contains(page, "Revoked tokens of bob") || !strings.Contains(page, "nightly (") {
			t.Errorf("%s does not say which tokens are revoked: %d\n%s", path, rec.Code, page)
		}
		log, err := o.Audit(t.Context(), "", 2)
		if err != nil || len(log) != 2 || log[1].Action != "token_revoke" || log[1].Object.Name != "nightly" || log[0].Object.ID != "bob" {
			t.Errorf("the audit log has %+v, %v", log, err)
		}
		if page := admin.Get("/users", 200); strings.HasSuffix(path, "disable") != strings.Contains(page, "/users/bob/remove") {
			t.Errorf("after %s the page offers something else than to remove a disabled account", path)
		}
		admin.Send(http.MethodPost, "/users/bob/enable", nil) // which fails for a removed account
		if rec := o.call(nightly, "GET", "/api/v1/users", ""); rec.Code != 401 {
			t.Errorf("after %s the token got %d", path, rec.Code)
		}
		if rec := o.call(anns, "GET", "/api/v1/status", ""); rec.Code != 200 {
			t.Errorf("the token of another got %d", rec.Code)
		}
		o.token(feed.Visitor{Name: feed.DaemonToken}, "of programs", feed.ScopeRead)
		_, _, _ = o.people.Remove(t.Context(), "bob")
	}
	o.add("bob", feed.RoleEditor)
	o.token(feed.Visitor{Name: "bob"}, "one", feed.ScopeRead)
	gone := webtest.Read[people.User](t, admin.Send(http.MethodDelete, "/api/v1/users/bob", nil))
	if gone.Name != "bob" || len(gone.Revoked) != 1 || gone.Revoked[0].Name != "one" {
		t.Errorf("the API answers %+v", gone)
	}
	if rec := admin.Send(http.MethodDelete, "/api/v1/users/bob", nil); rec.Code != 404 {
		t.Errorf("removed again: %d", rec.Code)
	}
	if rec := admin.Send(http.MethodDelete, "/api/v1/users/ann", nil); rec.Code != 409 || !strings.Contains(rec.Body.String(), "make another account admin first") {
		t.Errorf("the last admin: %d %s", rec.Code, rec.Body)
	}
}

func TestOpenStreamsEndWithTheRightsOfTheirVisitor(t *testing.T) {
	o := newOffice(t)
	o.add("ann", feed.RoleAdmin)
	bob := o.in("bob", feed.RoleEditor)
	token := o.token(feed.Visitor{Name: "bob"}, "nightly", feed.ScopeRead)
	ended := make(chan struct{})
	for _, stream := range []func(){
		func() { bob.Send(http.MethodGet, "/signals/live", nil) },
		func() { o.call(token, "GET", "/api/v1/live", "") },
	} {
		go func() { stream(); ended <- struct{}{} }()
		<-o.work.open
	}
	select {
	case <-ended:
		t.Error("a stream ended before its visitor lost a right")
	default:
	}
	if _, _, err := o.people.Disable(t.Context(), "bob"); err != nil {
		t.Fatal(err)
	}
	<-ended
	<-ended
}

func TestTokenOfAPersonThatAProxyNames(t *testing.T) {
	access := people.Access{ProxyHeader: "X-User", ProxyNetworks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, ProxyRole: feed.RoleAdmin}
	o := newOffice(t, func(opts *people.Options) { opts.Access = access })
	zoe := o.browser()
	zoe.From = "10.1.2.3:1"
	req := httptest.NewRequest(http.MethodPost, "/api/v1/tokens", strings.NewReader(`{"name":"nightly","scopes":["admin"]}`))
	req.Header.Set("X-User", "zoe")
	req.RemoteAddr = zoe.From
	rec := httptest.NewRecorder()
	o.kit.ServeHTTP(rec, req)
	made := webtest.Read[struct{ Token, Creator string }](t, rec)
	status := func() int { return o.call(made.Token, "GET", "/api/v1/users", "").Code }
	if made.Creator != "zoe" || status() != 200 {
		t.Fatalf("the token of %q got %d", made.Creator, status())
	}
	access.ProxyRole = feed.RoleEditor
	if o.people.Reload(access); status() != 403 {
		t.Errorf("after auth.proxy_role was reduced it got %d", status())
	}
	o.add("zoe", feed.RoleAdmin)
	if status() != 200 {
		t.Errorf("with an account it got %d", status())
	}
	o.add("ann", feed.RoleAdmin)
	if _, revoked, err := o.people.Disable(t.Context(), "zoe"); err != nil || len(revoked) != 1 || status() != 401 {
		t.Errorf("revoked %+v, %v, and it got %d", revoked, err, status())
	}
	zoe.Cookie = nil
	if rec := zoe.Send(http.MethodGet, "/", nil, "X-User", "zoe"); rec.Code != 303 {
		t.Errorf("zoe got %d", rec.Code)
	}
	o.token(feed.Visitor{Name: "yve"}, "of yve", feed.ScopeRead)
	if o.people.Reload(people.Access{}); true {
		list, err := o.people.Tokens(t.Context())
		if err != nil || len(list) != 1 || len(list[0].Effective) != 0 {
			t.Errorf("without the proxy, no one vouches for %+v, %v", list, err)
		}
	}
}

func TestTwoAdminsCannotDemoteEachOtherAtTheSameTime(t *testing.T) {
	o := newOffice(t)
	viewer, admin := feed.RoleViewer, feed.RoleAdmin
	ways := []func(name string) error{
		func(name string) error {
			_, _, err := o.people.Change(t.Context(), name, feed.AccountChange{Role: &viewer})
			return err
		},
		func(name string) error { _, _, err := o.people.Disable(t.Context(), name); return err },
		func(name string) error { _, _, err := o.people.Remove(t.Context(), name); return err },
	}
	for round := range *demotions {
		for _, name := range []string{"ann", "bob"} {
			switch _, err := o.Account(t.Context(), name); {
			case errors.Is(err, feed.ErrNotFound):
				o.addAccount(feed.Account{Name: name, Role: admin})
			case err != nil:
				t.Fatal(err)
			}
			if err := o.ChangeAccount(t.Context(), name, feed.AccountChange{Role: &admin, Enable: true}); err != nil {
				t.Fatal(err)
			}
		}
		start, results := make(chan struct{}), make(chan error, 2)
		for i, name := range []string{"ann", "bob"} {
			go func() {
				<-start
				results <- ways[(round/(1+2*i))%3](name)
			}()
		}
		close(start)
		refused := 0
		for range 2 {
			switch err := <-results; {
			case errors.Is(err, feed.ErrConflict):
				refused++
			case err != nil:
				t.Fatal(err)
			}
		}
		all, err := o.AccountsAfter(t.Context(), "", 1000)
		admins := slices.DeleteFunc(all, func(a feed.Account) bool { return a.Role != admin || a.Disabled })
		if err != nil || len(admins) != 1 || refused != 1 {
			t.Fatalf("round %d: %d admins are left, %d changes were refused, %v", round, len(admins), refused, err)
		}
	}
}

func TestNewerLinkEndsOlderOnes(t *testing.T) {
	o := newOffice(t)
	admin := o.in("ann", feed.RoleAdmin)
	link := func(path, body string) string {
		t.Helper()
		u := webtest.Read[people.User](t, o.call(o.token(feed.Visitor{Name: "ann"}, "links", feed.ScopeAdmin), "POST", path, body))
		_, path, _ = strings.Cut(u.Link, "http://wire.example")
		return path
	}
	invited := link("/api/v1/users", `{"name":"bob","role":"editor"}`)
	first, second := link("/api/v1/users/bob/reset", ""), link("/api/v1/users/bob/reset", "")
	bob := o.browser()
	for _, old := range []string{invited, first} {
		if page := bob.Get(old, 404); !strings.Contains(page, "no longer valid") {
			t.Errorf("the page says\n%s", page)
		}
	}
	bob.Get(second, 200)
	_, once, _ := strings.Cut(second, "=")
	if rec := bob.Send(http.MethodPost, "/welcome", url.Values{"once": {once}, "password": {password}, "again": {password}}); rec.Code != 303 {
		t.Fatalf("got %d", rec.Code)
	}
	o.browser().Get(second, 404)
	third := link("/api/v1/users/bob/reset", "")
	if rec := bob.Send(http.MethodPost, "/account/password", url.Values{"current": {password}, "password": {"another harbour"}, "again": {"another harbour"}}); rec.Code != 303 {
		t.Fatalf("got %d", rec.Code)
	}
	o.browser().Get(third, 404)
	admin.Get("/users", 200)
}

func TestWeakPasswordIsRefusedWithAReason(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleViewer)
	for weak, reason := range map[string]string{"Password123!": "common password", "annannannann": "different characters", "annie-ann-25": "name of the account"} {
		rec := b.Send(http.MethodPost, "/account/password", url.Values{"current": {password}, "password": {weak}, "again": {weak}})
		if page := rec.Body.String(); rec.Code != 422 || !strings.Contains(page, reason) || !strings.Contains(page, "use a phrase of several words") {
			t.Errorf("%s got %d:\n%s", weak, rec.Code, page)
		}
	}
}
