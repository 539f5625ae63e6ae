package desk_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// anyone is who may see open pages.
func anyone(*http.Request) bool { return true }

func page(t *testing.T, store deskStore, path string) string {
	t.Helper()
	opts := options()
	opts.OpenPages = anyone
	rec := call(store, opts, http.MethodGet, path, "", "Authorization", "")
	if rec.Code != http.StatusOK || !strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") {
		t.Fatalf("GET %s: %d %s", path, rec.Code, rec.Body)
	}
	return rec.Body.String()
}

func TestPageEscapesEveryField(t *testing.T) {
	const attack = `"><script>alert(1)</script><a href='javascript:alert(2)'>`
	e := feed.Entry{ID: attack, FeedURL: attack, GUID: attack, Timestamp: noon, Title: attack, Link: "javascript:alert(3)//" + attack}
	store := newFakeStore()
	for i, link := range []string{"javascript:alert(4)", attack} {
		s := feed.Source{
			ID: fmt.Sprint(i), URL: link + attack, Feeds: []string{"production", attack}, Publish: attack,
			About: feed.About{Title: attack, Link: attack},
			Poll:  feed.PollState{Errors: 5, ErrorClass: attack, ErrorText: attack, NextReason: attack, NextPoll: noon.Add(time.Hour)},
		}
		store.sources[s.ID] = s
		for j, state := range feed.States() {
			uuid := fmt.Sprint(i, j)
			store.articles[uuid] = feed.Article{
				UUID: uuid, FeedURL: s.URL, GUID: attack, Title: attack, Canonical: link, Updated: noon, Authors: []string{attack},
				Feeds: map[string]feed.Placement{"production": {State: state, Published: noon}},
			}
		}
		store.signals = append(store.signals,
			feed.Signal{ID: attack, Kind: attack, FeedURL: attack, Time: noon, Post: &e, Changed: map[string]feed.Change{attack: {From: attack, To: attack}}},
			feed.Signal{ID: attack, Kind: attack, FeedURL: attack, Time: noon})
	}
	opts := options()
	opts.OpenPages, opts.Version, opts.StoreKind = anyone, attack, func() string { return attack }
	opts.PublicURL = attack
	opts.Held = func(string) []string { return []string{"01", "11"} }
	opts.Blocked = func(*feed.Article, string) string { return attack }
	for i := range opts.Feeds {
		opts.Feeds[i].Title, opts.Feeds[i].Link = attack, attack
	}
	html := call(store, opts, http.MethodGet, "/", "", "Authorization", "").Body.String()
	if holdsScript(html) || strings.Contains(html, "<a href='") {
		t.Error("markup of a source stands in the page")
	}
	for _, href := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(href[1])), "javascript:") {
			t.Errorf("a link runs a script: %s", href[0])
		}
	}
	if got := strings.Count(html, "&lt;script&gt;"); got < 16 {
		t.Errorf("the attack is shown %d times only: the page does not show the fields under test", got)
	}
}

func TestPagesAreOpenToTheRequestsThatMaySeeThem(t *testing.T) {
	opts := options()
	opts.OpenPages = func(r *http.Request) bool { return r.Header.Get("X-Forwarded-For") == "" }
	for from, want := range map[string]int{"": 200, "192.0.2.7": 303} {
		rec := call(wire(), opts, http.MethodGet, "/", "", "Authorization", "", "X-Forwarded-For", from)
		if rec.Code != want {
			t.Errorf("forwarded for %q: got %d, want %d", from, rec.Code, want)
		}
	}
}

func TestEveryAnswerIsSecured(t *testing.T) {
	for _, path := range []string{"/", "/assets/desk.css", "/api/v1/status", "/nothing"} {
		rec := call(wire(), options(), http.MethodGet, path, "")
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

func TestAssetsAreServedAndNothingBeside(t *testing.T) {
	for path, want := range map[string]int{
		"/assets/desk.css": 200, "/assets/wire.js": 200, "/assets/desk.js": 200, "/assets/icon.svg": 200, "/assets/none.css": 404, "/assets/": 404, "/templates/overview.html": 404,
	} {
		if rec := call(wire(), options(), http.MethodGet, path, ""); rec.Code != want {
			t.Errorf("GET %s: got %d, want %d", path, rec.Code, want)
		}
	}
}

// Browsers keep what pages load for as long as it is what it was, and learn at once when it is not.
func TestAssetsAreKeptByBrowsers(t *testing.T) {
	opts := options()
	opts.OpenPages = anyone
	page := call(wire(), opts, http.MethodGet, "/articles", "").Body.String()
	paths := regexp.MustCompile(`/assets/[^"]+`).FindAllString(page, -1)
	if len(paths) != 3 {
		t.Fatalf("the page loads %v", paths)
	}
	for _, path := range paths {
		rec := call(wire(), opts, http.MethodGet, path, "", "Accept-Encoding", "gzip")
		if got := rec.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control is %q", path, got)
		}
		bare, _, _ := strings.Cut(path, "?")
		rec = call(wire(), opts, http.MethodGet, bare+"?v=other", "", "If-None-Match", rec.Header().Get("ETag"))
		if got := rec.Header().Get("Cache-Control"); got != "no-cache" || rec.Code != http.StatusNotModified {
			t.Errorf("%s of another version: %d, Cache-Control is %q", bare, rec.Code, got)
		}
	}
}

// ownScripts are those of the desk.
var ownScripts = regexp.MustCompile(`<script src="/assets/(desk|wire)\.js\?v=[0-9a-f]{12}" defer>`)

// holdsScript reports a script in a page besides those of its own.
func holdsScript(html string) bool {
	return strings.Contains(strings.ToLower(ownScripts.ReplaceAllString(html, "")), "<script")
}
