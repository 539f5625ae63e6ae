package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

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

// room has one route.
type room struct{}

func (room) Site() web.Site {
	serve := func(http.ResponseWriter, *http.Request) error { return nil }
	return web.Site{Routes: []web.Route{{Pattern: "GET /api/v1/things", Scope: feed.ScopeRead, Serve: serve}}}
}
