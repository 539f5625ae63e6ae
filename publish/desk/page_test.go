package desk_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/storetest"
)

func TestPagesAreOpenToTheRequestsThatMaySeeThem(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t), func(opts *options) {
		opts.people.Open = func(r *http.Request) bool { return r.Header.Get("X-Forwarded-For") == "" }
	})
	for from, want := range map[string]int{"": 200, "192.0.2.7": 303} {
		rec := d.call(http.MethodGet, "/", "", "Authorization", "", "X-Forwarded-For", from)
		if rec.Code != want {
			t.Errorf("forwarded for %q: got %d, want %d", from, rec.Code, want)
		}
	}
}

func TestEveryResponseIsSecured(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t))
	for _, path := range []string{"/", "/assets/desk.css", "/api/v1/status", "/nothing"} {
		rec := d.call(http.MethodGet, path, "")
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
			"X-Content-Type-Options":  "nosniff",
			"Referrer-Policy":         "same-origin",
		} {
			if got := rec.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
}

func TestOnlyAssetsAreServedAsFiles(t *testing.T) {
	d := newDesk(storetest.EmptyNewsroom(t))
	for path, want := range map[string]int{
		"/assets/desk.css": 200, "/assets/wire.js": 200, "/assets/desk.js": 200, "/assets/icon.svg": 200, "/assets/none.css": 404, "/assets/": 404, "/templates/overview.html": 404,
	} {
		if rec := d.call(http.MethodGet, path, ""); rec.Code != want {
			t.Errorf("GET %s: got %d, want %d", path, rec.Code, want)
		}
	}
}

func TestAssetsAreCachedUntilTheyChange(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t), anyone)
	page := d.call(http.MethodGet, "/articles", "").Body.String()
	paths := regexp.MustCompile(`/assets/[^"]+`).FindAllString(page, -1)
	if len(paths) != 6 {
		t.Fatalf("the page loads %v", paths)
	}
	for _, path := range paths {
		rec := d.call(http.MethodGet, path, "", "Accept-Encoding", "gzip")
		if got := rec.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control is %q", path, got)
		}
		bare, _, _ := strings.Cut(path, "?")
		rec = d.call(http.MethodGet, bare+"?v=other", "", "If-None-Match", rec.Header().Get("ETag"))
		if got := rec.Header().Get("Cache-Control"); got != "no-cache" || rec.Code != http.StatusNotModified {
			t.Errorf("%s of another version: %d, Cache-Control is %q", bare, rec.Code, got)
		}
	}
}
