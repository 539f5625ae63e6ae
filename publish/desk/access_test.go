package desk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestRequestsOfOtherSitesDoNothing(t *testing.T) {
	n := storetest.NewNewsroom(t)
	d := newDesk(n)
	b := d.signIn(t, n, "ann", feed.RoleAdmin)
	for number, tt := range []struct {
		name   string
		header []string
		want   int
	}{
		{"our page", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"typed in", []string{"Sec-Fetch-Site", "none"}, 200},
		{"another site", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"a sister", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"our origin", []string{"Sec-Fetch-Site", "", "Origin", "http://example.com"}, 200}, // the Host of these requests
		{"the public origin", []string{"Sec-Fetch-Site", "cross-site", "Origin", "http://wire.example"}, 200},
		{"another origin", []string{"Sec-Fetch-Site", "", "Origin", "http://evil.example"}, 403},
		{"no origin", []string{"Sec-Fetch-Site", "", "Origin", "null"}, 403},
	} {
		for i, path := range []string{"/users", "/api/v1/sources/poll", "/login"} {
			form := url.Values{"name": {fmt.Sprintf("x%d%d", number, i)}, "role": {"viewer"}, "password": {"x"}}
			rec := b.Send(http.MethodPost, path, form, tt.header...)
			if refused := rec.Code == 403; refused != (tt.want == 403) {
				t.Errorf("%s, %s: got %d", tt.name, path, rec.Code)
			}
		}
		b.Get("/", 200)
	}
}

func TestProxyNamesWhoComesFromItsNetworkOnly(t *testing.T) {
	n, fails := storetest.NewNewsroom(t), map[string]int{}
	d := newDesk(n, func(opts *options) {
		opts.people.ProxyHeader, opts.people.ProxyRole = "X-Forwarded-User", feed.RoleViewer
		opts.people.ProxyNetworks = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		opts.people.OnFailure = func(method string) { fails[method]++ }
	})
	addAccount(t, n, "ann", feed.RoleAdmin)
	addAccount(t, n, "off", feed.RoleAdmin)
	if _, err := n.DisableAccount(t.Context(), "off"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		from, user, path string
		want             int
	}{
		{"10.1.2.3:1", "zoe@example.org", "/", 200},
		{"10.1.2.3:1", "zoe@example.org", "/users", 403},
		{"10.1.2.3:1", "Ann", "/users", 200},
		{"10.1.2.3:1", "ann", "/account", 200},
		{"10.1.2.3:1", "off", "/", 303},
		{"10.1.2.3:1", "no name", "/", 303},
		{"192.0.2.1:1", "ann", "/", 303},
		{"[::ffff:10.1.2.3]:1", "ann", "/", 200},
	} {
		b := d.browser(t)
		b.From = tt.from
		if rec := b.Send(http.MethodGet, tt.path, nil, "X-Forwarded-User", tt.user); rec.Code != tt.want {
			t.Errorf("%s from %s: %s got %d, want %d", tt.user, tt.from, tt.path, rec.Code, tt.want)
		}
	}
	if fails["proxy"] != 2 {
		t.Errorf("counted %v", fails)
	}
	b := d.browser(t)
	b.From = "10.1.2.3:1"
	b.Send(http.MethodPost, "/api/v1/sources/poll", nil, "X-Forwarded-User", "ann", "Sec-Fetch-Site", "cross-site")
	if s, err := n.Source(t.Context(), feed.SourceID(storetest.Site)); err != nil || s.Poll.NextReason != "interval" {
		t.Errorf("another site polls: %+v, %v", s.Poll, err)
	}
}

func TestEveryRouteNeedsAScope(t *testing.T) {
	var open []string
	for _, route := range newDesk(storetest.EmptyNewsroom(t)).Routes() {
		method, path, _ := strings.Cut(route.Pattern, " ")
		admin := strings.Contains(path, "/users") || strings.Contains(path, "/tokens") || strings.Contains(path, "/audit") ||
			strings.Contains(path, "/invitations") || strings.HasSuffix(path, "/settings")
		switch {
		case route.Scope == "":
			t.Errorf("%s has no scope", route.Pattern)
		case route.Scope == web.Anyone || route.Scope == web.Public:
			open = append(open, route.Pattern)
		case method != http.MethodGet && route.Scope == feed.ScopeRead:
			t.Errorf("%s changes something and is open to viewers", route.Pattern)
		case admin != (route.Scope == feed.ScopeAdmin):
			t.Errorf("%s needs %s", route.Pattern, route.Scope)
		}
	}
	slices.Sort(open)
	want := []string{"GET /alive", "GET /api/v1/openapi.yaml", "GET /login", "GET /reset-password", "GET /sign-up", "GET /welcome",
		"POST /login", "POST /reset-password", "POST /sign-up", "POST /welcome"}
	if !slices.Equal(open, want) {
		t.Errorf("open to everyone are %v", open)
	}
}

// Each route, asked by each kind of visitor, lets in exactly those who have its scope.
func TestEveryRouteAdmitsWhoMayUseIt(t *testing.T) {
	const all = "all"
	n := storetest.NewNewsroom(t)
	d := newDesk(n, func(opts *options) {
		opts.people.Open = func(r *http.Request) bool { return r.Header.Get("Open") != "" }
	})
	type asker struct {
		name   string
		scopes []feed.Scope
		pages  bool // it is known to the pages
		api    bool // and to the API
		send   func(method, path string) *httptest.ResponseRecorder
	}
	anonymous := d.browser(t)
	ask := []asker{{"nobody", nil, false, false, func(m, p string) *httptest.ResponseRecorder { return anonymous.Send(m, p, nil) }}}
	ask = append(ask, asker{"everybody where pages are open", feed.RoleEditor.Scopes(), true, false,
		func(m, p string) *httptest.ResponseRecorder { return anonymous.Send(m, p, nil, "Open", "1") }})
	for _, role := range feed.Roles() {
		name := "a-" + string(role)
		addAccount(t, n, name, role)
		ask = append(ask, asker{string(role), role.Scopes(), true, true, func(m, p string) *httptest.ResponseRecorder {
			account, err := n.Account(t.Context(), name)
			if err == nil { // the previous route may have ended the session
				err = n.AddSession(t.Context(), feed.Session{
					Sum: feed.SessionSum("secret"), AccountID: account.ID, Generation: account.Generation, Created: webtest.Noon(), Seen: webtest.Noon(),
				})
			}
			if err != nil {
				t.Fatal(err)
			}
			b := d.browser(t)
			b.Cookie = &http.Cookie{Name: "feedwire", Value: fmt.Sprint(account.ID, ".secret")}
			return b.Send(m, p, nil)
		}})
	}
	addAccount(t, n, "b-admin", feed.RoleAdmin)
	for _, scope := range feed.Scopes() {
		token := feed.Token{ID: string(scope), Name: string(scope), Scopes: []feed.Scope{scope}, Creator: feed.DaemonToken, Sum: feed.HashSecret("secret")}
		ask = append(ask, asker{"token " + string(scope), token.Scopes, false, true, func(m, p string) *httptest.ResponseRecorder {
			if err := n.AddToken(t.Context(), token); err != nil {
				t.Fatal(err)
			}
			return anonymous.Send(m, p, nil, "Authorization", "Bearer "+feed.TokenText(token.ID, "secret"))
		}})
	}
	ask = append(ask, asker{"the daemon's token", feed.RoleAdmin.Scopes(), false, true,
		func(m, p string) *httptest.ResponseRecorder {
			return anonymous.Send(m, p, nil, "Authorization", "Bearer "+token)
		}})

	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := d.Run(stopped); err != nil { // event streams of pages last until it ends
		t.Fatal(err)
	}
	for _, route := range d.Routes() {
		method, path, _ := strings.Cut(route.Pattern, " ")
		path = strings.NewReplacer("{$}", "", "{", "", "}", "").Replace(path)
		need := route.Scope
		api := strings.HasPrefix(path, "/api/")
		for _, a := range ask {
			known := a.pages && !api || a.api && api
			want := all
			switch {
			case need == web.Anyone, need == web.Public:
			case !known && !api && method == http.MethodGet:
				want = "303 /login"
			case !known:
				want = "401"
			case need == web.SignedIn:
			case !feed.Allow(a.scopes, need):
				want = "403"
			case strings.HasPrefix(path, "/api/v1/me/apps") && method != http.MethodGet && !a.pages && !feed.Allow(a.scopes, feed.ScopeAdmin):
				want = "403" // a lost token could make others
			}
			rec := a.send(method, path)
			got := fmt.Sprint(rec.Code)
			if to := rec.Header().Get("Location"); strings.HasPrefix(to, "/login?next=") {
				got += " /login"
			}
			if denied := got == "401" || got == "403" || strings.HasSuffix(got, "/login"); want == all && denied && path != "/login" || want != all && got != want {
				t.Errorf("%s by %s: got %s, want %s", route.Pattern, a.name, got, want)
			}
		}
	}
}

func TestStreamOfAnEndedSessionStops(t *testing.T) {
	rec := newDesk(storetest.NewNewsroom(t)).browser(t).Send(http.MethodGet, "/live", nil, "Accept", "text/event-stream")
	if rec.Code != http.StatusNoContent { // an EventSource reconnects after any other end, and reports a page as an error
		t.Errorf("got %d %s", rec.Code, rec.Header())
	}
}

func TestOpenPagesSayThatTheyAre(t *testing.T) {
	b := newDesk(storetest.NewNewsroom(t), anyone).browser(t)
	if page := b.Get("/", 200); !strings.Contains(page, "sign-in disabled") || strings.Contains(page, "sign out") {
		t.Errorf("the page does not say so:\n%s", page)
	}
	b.Get("/users", 403)
	if rec := b.Send(http.MethodGet, "/api/v1/status", nil); rec.Code != 401 {
		t.Errorf("the API is open: %d", rec.Code)
	}
}
