package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// talk is a room with a mount, and desk one without.
type talk struct{ web.Mount }

func (t talk) Site() web.Site {
	return web.Site{Name: "Harbour Talk", Routes: []web.Route{
		{Pattern: t.Pattern("GET", "/"), Scope: web.Anyone, Serve: says("home")},
		{Pattern: t.Pattern("GET", "/news/{n}"), Scope: web.Anyone, Serve: says("news")},
		{Pattern: t.Pattern("GET", "/submit"), Scope: web.SignedIn, Serve: says("submit")},
		{Pattern: t.Pattern("POST", "/submit"), Scope: web.SignedIn, Action: &web.Action{Name: "submit"}, Serve: web.Form(func(*http.Request) (web.Next, error) {
			return web.Next{Page: t.Path("/news/1")}, nil
		})},
	}}
}

type desk struct{}

func (desk) Site() web.Site {
	return web.Site{Routes: []web.Route{
		{Pattern: "GET /{$}", Scope: web.Anyone, Serve: says("overview")},
		{Pattern: "GET /login", Scope: web.Anyone, Serve: says("login")},
		{Pattern: "GET /reset-password", Scope: web.Anyone, Serve: says("reset")},
		{Pattern: "GET /news/all", Scope: web.Anyone, Serve: says("desk")},
		{Pattern: "GET /api/v1/things", Scope: web.Optional, Serve: says("things")},
	}}
}

func says(text string) web.Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		_, err := w.Write([]byte(text))
		return err
	}
}

func TestHostOfARoomServesItsPagesOnly(t *testing.T) {
	d := webtest.New(webtest.Noon)
	d.Visitor = feed.Visitor{}
	ask := func(method, host, path string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(context.Background(), method, path, nil)
		r.Host = host
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		rec := httptest.NewRecorder()
		d.ServeHTTP(rec, r)
		return rec
	}
	on := web.NewMount("/community", "talk.example", "https://wire.example:8443/")
	d.Mount(desk{}, talk{on})
	for _, tt := range []struct{ host, path, want string }{
		{"talk.example", "/", "home"},
		{"TALK.example:8443", "/news/1", "news"},
		{"talk.example", "/login", "login"},
		{"talk.example", "/reset-password", "reset"},
		{"talk.example", "/news/all", "news"},
		{"wire.example", "/", "overview"},
		{"wire.example", "/news/all", "desk"},
		{"evil.example", "/", "overview"}, // its name resolves to this machine
	} {
		if rec := ask("GET", tt.host, tt.path); rec.Code != 200 || rec.Body.String() != tt.want {
			t.Errorf("%s%s: got %d %s, want %s", tt.host, tt.path, rec.Code, rec.Body, tt.want)
		}
	}
	for _, missing := range []struct{ host, path string }{
		{"wire.example", "/news/1"}, {"wire.example", "/submit"}, {"evil.example", "/submit"}, {"talk.example", "/loginx"}, {"talk.example", "/community"},
		{"talk.example.evil.example", "/news/1"}, {"talk.example@evil.example", "/news/1"},
	} {
		rec := ask("GET", missing.host, missing.path)
		if named := strings.Contains(rec.Body.String(), ">Harbour Talk<"); rec.Code != 404 || named != (missing.host == "talk.example") {
			t.Errorf("%s%s: got %d %s", missing.host, missing.path, rec.Code, rec.Body)
		}
	}
	for _, api := range []struct {
		host, path string
		want       int
	}{
		{"talk.example", "/api/v1/things", 404}, {"talk.example", "/api/none", 404}, // a token would not change that
		{"wire.example", "/api/v1/things", 200}, {"wire.example", "/api/none", 401},
	} {
		if rec := ask("GET", api.host, api.path); rec.Code != api.want {
			t.Errorf("%s%s: got %d %s, want %d", api.host, api.path, rec.Code, rec.Body, api.want)
		}
	}
	for _, host := range []string{"talk.example", "wire.example"} { // a page of an error is rendered once for all strangers of a host
		rec := ask("DELETE", host, "/news/all")
		if named := strings.Contains(rec.Body.String(), ">Harbour Talk<"); rec.Code != 405 || named != (host == "talk.example") {
			t.Errorf("%s: got %d %s", host, rec.Code, rec.Body)
		}
	}
	if to := ask("GET", "talk.example", "/submit").Header().Get("Location"); to != "/login?next=%2Fsubmit" {
		t.Errorf("strangers are sent to %q", to)
	}
	d.Visitor = feed.Visitor{Name: "ann", Account: feed.Account{ID: 1, Name: "ann"}}
	for origin, want := range map[string]int{"https://talk.example:8443": 303, "https://evil.example": 403} {
		rec := ask("POST", "Talk.example:8443", "/submit", "Origin", origin, "X-Forwarded-Host", "evil.example", "Content-Type", "application/x-www-form-urlencoded")
		if rec.Code != want || want == 303 && rec.Header().Get("Location") != "/news/1" {
			t.Errorf("a form of %s: %d %v", origin, rec.Code, rec.Header())
		}
	}
	if got := on.URL("/news/1"); got != "https://talk.example:8443/news/1" {
		t.Errorf("the address is %s", got)
	}

	at := web.NewMount("/community", "", "https://wire.example/")
	d.Mount(desk{}, talk{at})
	if rec := ask("GET", "anything", at.Path("/")); rec.Body.String() != "home" || at.URL("/news/1") != "https://wire.example/community/news/1" {
		t.Errorf("below a path: %d %s, %s", rec.Code, rec.Body, at.URL("/news/1"))
	}
}
