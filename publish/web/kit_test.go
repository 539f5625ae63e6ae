package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// A reload makes the pages of every noun again, after any number of requests.
func TestPagesAreMadeAfterAnErrorPage(t *testing.T) {
	d := webtest.New(webtest.Noon)
	if w := d.Call(http.MethodGet, "/nowhere", ""); w.Code != http.StatusNotFound {
		t.Fatalf("an unknown path gets %d", w.Code)
	}
	d.Pages(fstest.MapFS{"templates/page.html": {Data: []byte(`{{define "page"}}{{end}}`)}}, nil)
}

func TestAllowIsForVisitorsOnly(t *testing.T) {
	d := webtest.New(webtest.Noon)
	d.Mount(room{})
	if allow := d.Call(http.MethodDelete, "/api/v1/things", "").Header().Get("Allow"); !strings.Contains(allow, "GET") {
		t.Errorf("a visitor is told %q", allow)
	}
	d.Visitor = feed.Visitor{}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodDelete, "/api/v1/things", nil))
	if w.Code != http.StatusUnauthorized || w.Header().Get("Allow") != "" {
		t.Errorf("an unknown visitor gets %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// The pages that refuse strangers are the same for all of them within a second.
func TestStrangersAreRefusedWithPagesThatAreRenderedOnce(t *testing.T) {
	now, rendered := webtest.Noon(), 0
	d := webtest.New(func() time.Time { return now })
	d.StoreKind = func() string { rendered++; return "redis" }
	d.Mount(form{})
	d.Visitor = feed.Visitor{}
	send := func(body string) string {
		w := d.Call(http.MethodPost, "/form", body)
		return fmt.Sprint(w.Code, w.Body)
	}
	long := strings.Repeat("x", 100)
	first := send(long)
	if again := send(long); again != first || rendered != 1 || !strings.HasPrefix(first, "413") {
		t.Errorf("rendered %d times:\n%s\n%s", rendered, first, again)
	}
	if other := send("%"); !strings.HasPrefix(other, "400") || strings.Contains(other, "larger") {
		t.Errorf("a damaged form gets %s", other)
	}
	now = now.Add(time.Second)
	if later := send(long); later == first {
		t.Error("the page shows the time of an earlier one")
	}
	d.Visitor = feed.Visitor{Name: "ann"}
	if own := send(long); !strings.Contains(own, "ann") {
		t.Errorf("a known visitor gets the page of strangers: %s", own)
	}
}

func TestStrangersSeeNoVersionsAndNoLinksToPagesOfAccounts(t *testing.T) {
	d := webtest.New(webtest.Noon)
	d.Version = "v1.2.3"
	d.Mount(hall{})
	inside, admin := []string{"v1.2.3", "embedded redis", `href="/">The overview`}, d.Visitor
	for _, path := range []string{"/open/none", "/closed/none", "/none", "/open?fail=1"} {
		d.Visitor = admin
		webtest.Contains(t, d.Call(http.MethodGet, path, "").Body.String(), inside...)
		d.Visitor = feed.Visitor{}
		page := d.Call(http.MethodGet, path, "").Body.String()
		for _, secret := range append(inside, `href="/closed"`) {
			if strings.Contains(page, secret) {
				t.Errorf("%s shows %q to strangers:\n%s", path, secret, page)
			}
		}
		if strings.Contains(page, `href="/open"`) != (path == "/open/none") {
			t.Errorf("the links of %s are wrong:\n%s", path, page)
		}
	}
}

// hall has a page that is open to anyone, which fails, and one of admins.
type hall struct{}

func (hall) Site() web.Site {
	serve := func(http.ResponseWriter, *http.Request) error { return feed.ErrUnavailable }
	return web.Site{
		Routes: []web.Route{{Pattern: "GET /open", Scope: web.Anyone, Serve: serve}, {Pattern: "GET /closed", Serve: serve}},
		Missing: []web.Missing{
			{Below: "/open/", Text: "None.", List: web.Link{Path: "/open", Text: "All"}},
			{Below: "/closed/", Text: "None.", List: web.Link{Path: "/closed", Text: "All"}},
		},
	}
}

func TestPagesSayThatTheDataIsGone(t *testing.T) {
	d := webtest.New(webtest.Noon)
	d.Mount(emptied{})
	for range 2 { // known, then a stranger
		w := d.Call(http.MethodGet, "/open", "")
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("got %d %v", w.Code, w.Header())
		}
		webtest.Contains(t, w.Body.String(), "The data of this installation is gone from the store until a backup is restored")
		d.Visitor = feed.Visitor{}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/open", nil)
	if status, text := d.Excuse(r, lost()); status != http.StatusServiceUnavailable || !strings.HasPrefix(text, "The data of this installation is gone") {
		t.Errorf("a page without content: %d %s", status, text)
	}
}

// lost returns the error of a store that lost its data.
func lost() error { return fmt.Errorf("%w: %w", feed.ErrUnavailable, feed.ErrEmptied) }

// emptied has a page whose store lost its data.
type emptied struct{}

func (emptied) Site() web.Site {
	serve := func(http.ResponseWriter, *http.Request) error { return lost() }
	return web.Site{Routes: []web.Route{{Pattern: "GET /open", Scope: web.Anyone, Serve: serve}}}
}

// form has a form of at most ten bytes.
type form struct{}

func (form) Site() web.Site {
	serve := func(http.ResponseWriter, *http.Request) error { return nil }
	return web.Site{Routes: []web.Route{{Pattern: "POST /form", Scope: web.Anyone, MaxBody: 10, Serve: serve}}}
}

// room has one route.
type room struct{}

func (room) Site() web.Site {
	serve := func(http.ResponseWriter, *http.Request) error { return nil }
	return web.Site{Routes: []web.Route{{Pattern: "GET /api/v1/things", Scope: feed.ScopeRead, Serve: serve}}}
}
