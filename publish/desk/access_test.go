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
	"github.com/feedwire/feedwire/store/feed"
)

func TestRequestsOfOtherSitesDoNothing(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleAdmin)
	for _, tt := range []struct {
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
			form := url.Values{"name": {fmt.Sprintf("x%d%d", len(o.signs.accounts), i)}, "role": {"viewer"}, "password": {"x"}}
			rec := b.send(http.MethodPost, path, form, tt.header...)
			if refused := rec.Code == 403; refused != (tt.want == 403) {
				t.Errorf("%s, %s: got %d", tt.name, path, rec.Code)
			}
		}
		b.gets("/", 200)
		o.signs.attempts = map[string]int{}
	}
}

func TestProxyNamesWhoComesFromItsNetworkOnly(t *testing.T) {
	o := newOffice(t, func(opts *deskOptions) {
		opts.SignIn.ProxyHeader, opts.SignIn.ProxyRole = "X-Forwarded-User", feed.RoleViewer
		opts.SignIn.ProxyNetworks = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	o.add("ann", feed.RoleAdmin)
	o.add("off", feed.RoleAdmin)
	off := o.signs.accounts["off"]
	off.Disabled = true
	o.signs.accounts["off"] = off
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
		b := o.browser()
		b.from = tt.from
		if rec := b.send(http.MethodGet, tt.path, nil, "X-Forwarded-User", tt.user); rec.Code != tt.want {
			t.Errorf("%s from %s: %s got %d, want %d", tt.user, tt.from, tt.path, rec.Code, tt.want)
		}
	}
	if o.fails["proxy"] != 2 {
		t.Errorf("counted %v", o.fails)
	}
	b := o.browser()
	b.from = "10.1.2.3:1"
	b.send(http.MethodPost, "/api/v1/sources/poll", nil, "X-Forwarded-User", "ann", "Sec-Fetch-Site", "cross-site")
	if len(o.store.polled) > 0 {
		t.Error("another site polls")
	}
}

func TestEveryRouteNeedsAScope(t *testing.T) {
	var open []string
	for _, route := range newOffice(t).desk.Routes() {
		method, path, _ := strings.Cut(route.Pattern, " ")
		admin := strings.Contains(path, "/users") || strings.Contains(path, "/tokens") || strings.Contains(path, "/audit") ||
			strings.HasSuffix(path, "/settings")
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
	want := []string{"GET /api/v1/openapi.yaml", "GET /login", "GET /welcome", "POST /login", "POST /welcome"}
	if !slices.Equal(open, want) {
		t.Errorf("open to everyone are %v", open)
	}
}

// Each route, asked by each kind of visitor, lets in exactly those who have its scope.
func TestEveryRouteAdmitsWhoMayUseIt(t *testing.T) {
	const all = "all"
	o := newOffice(t, func(opts *deskOptions) {
		opts.OpenPages = func(r *http.Request) bool { return r.Header.Get("Open") != "" }
	})
	type asker struct {
		name   string
		scopes []feed.Scope
		pages  bool // it is known to the pages
		api    bool // and to the API
		send   func(method, path string) *httptest.ResponseRecorder
	}
	anonymous := o.browser()
	ask := []asker{{"nobody", nil, false, false, func(m, p string) *httptest.ResponseRecorder { return anonymous.send(m, p, nil) }}}
	ask = append(ask, asker{"everybody where pages are open", feed.RoleEditor.Scopes(), true, false,
		func(m, p string) *httptest.ResponseRecorder { return anonymous.send(m, p, nil, "Open", "1") }})
	for _, role := range feed.Roles() {
		name := "a-" + string(role)
		ask = append(ask, asker{string(role), role.Scopes(), true, true, func(m, p string) *httptest.ResponseRecorder {
			o.signs.accounts[name] = feed.Account{Name: name, Role: role} // as it was, whatever the route before did to it
			o.signs.sessions[feed.HashSecret("secret")] = feed.Session{Sum: feed.HashSecret("secret"), Account: name, Created: noon, Seen: noon}
			b := o.browser()
			b.cookie = &http.Cookie{Name: "feedwire", Value: name + ":secret"}
			return b.send(m, p, nil)
		}})
	}
	o.add("b-admin", feed.RoleAdmin)
	for _, scope := range feed.Scopes() {
		token := feed.Token{ID: string(scope), Name: string(scope), Scopes: []feed.Scope{scope}, Sum: feed.HashSecret("secret")}
		ask = append(ask, asker{"token " + string(scope), token.Scopes, false, true, func(m, p string) *httptest.ResponseRecorder {
			o.signs.kept[token.ID] = token
			return anonymous.send(m, p, nil, "Authorization", "Bearer "+feed.TokenText(token.ID, "secret"))
		}})
	}
	ask = append(ask, asker{"the daemon's token", feed.RoleAdmin.Scopes(), false, true,
		func(m, p string) *httptest.ResponseRecorder {
			return anonymous.send(m, p, nil, "Authorization", "Bearer "+token)
		}})

	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := o.desk.Run(stopped); err != nil { // pages are told of changes until it ends
		t.Fatal(err)
	}
	for _, route := range o.desk.Routes() {
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

func TestOpenPagesSayThatTheyAre(t *testing.T) {
	o := newOffice(t, func(opts *deskOptions) { opts.OpenPages = anyone })
	b := o.browser()
	if page := b.gets("/", 200); !strings.Contains(page, "sign-in disabled") || strings.Contains(page, "sign out") {
		t.Errorf("the page does not say so:\n%s", page)
	}
	b.gets("/users", 403)
	if rec := b.send(http.MethodGet, "/api/v1/status", nil); rec.Code != 401 {
		t.Errorf("the API is open: %d", rec.Code)
	}
}
