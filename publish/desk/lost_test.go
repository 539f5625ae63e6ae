package desk_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// The page of a missing object has the layout of other pages and links to the list.
func TestMissingPageLinksToOthers(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t), anyone)
	for path, want := range map[string][]string{
		"/nothing":              {"There is no page at this address.", `<code dir="ltr">/nothing</code>`},
		"/sources/x/y":          {"There is no page at this address.", `<a href="/sources">All sources</a>`},
		"/assets/none.css":      {"There is no page at this address."},
		"/<b>":                  {"There is no page at this address.", "/&lt;b&gt;"},
		"/sources/0123456789ab": {"This source does not exist, or it was removed.", `<a href="/sources">All sources</a>`},
		"/sources/none":         {"This source does not exist"},
		"/articles/none":        {"This article does not exist", `<a href="/articles">All articles</a>`},
		"/articles/" + feed.ArticleUUID("x", "y"): {"This article does not exist"},
		"/imports/AAAAAAAAAAAAAAAAAAAAAAAAAA":     {"This import does not exist", `<a href="/sources/import">Import a list</a>`},
		"/feeds/nowhere":                          {"This outgoing feed does not exist", `<a href="/feeds">All outgoing feeds</a>`},
		"/signals/1795206000009-0":                {"This signal does not exist", `<a href="/signals">Latest signals</a>`},
		"/subscriptions/none":                     {"This subscription does not exist", `<a href="/subscriptions">All subscriptions</a>`},
	} {
		rec := d.call(http.MethodGet, path, "", "Authorization", "")
		html := rec.Body.String()
		if rec.Code != http.StatusNotFound {
			t.Errorf("GET %s: got %d, want 404", path, rec.Code)
		}
		for _, part := range append(want, `<a href="/">The overview</a>`, `<nav class="places"`, "<h1>", "<footer") {
			if !strings.Contains(html, part) {
				t.Errorf("GET %s: the page does not say %q", path, part)
			}
		}
		if t.Failed() {
			t.Fatal(html)
		}
	}
}

func TestMissingPageShowsStrangersNothing(t *testing.T) {
	d := newDesk(storetest.EmptyNewsroom(t))
	rec := d.call(http.MethodGet, "/nothing", "", "Authorization", "")
	if html := rec.Body.String(); rec.Code != http.StatusNotFound || !strings.Contains(html, "There is no page") || strings.Contains(html, "<nav") {
		t.Errorf("got %d %s", rec.Code, html)
	}
}

func TestPageRefusesOtherMethods(t *testing.T) {
	d := newDesk(storetest.EmptyNewsroom(t), anyone)
	rec := d.call(http.MethodDelete, "/articles", "", "Authorization", "", "Sec-Fetch-Site", "same-origin")
	if rec.Code != http.StatusMethodNotAllowed || rec.Header().Get("Allow") != "GET, HEAD" || !strings.Contains(rec.Body.String(), "accepts GET, HEAD") {
		t.Errorf("got %d, Allow %q: %s", rec.Code, rec.Header().Get("Allow"), rec.Body)
	}
}

func TestMissingPathOfTheAPIIsAProblem(t *testing.T) {
	d := newDesk(storetest.EmptyNewsroom(t))
	for _, path := range []string{"/api", "/api/", "/api/v1", "/api/v1/", "/api/v1/nothing", "/api/v2/sources"} {
		rec := d.call(http.MethodGet, path, "")
		if rec.Code != http.StatusNotFound || rec.Header().Get("Content-Type") != feed.ProblemType {
			t.Errorf("GET %s: got %d %s", path, rec.Code, rec.Header().Get("Content-Type"))
		}
	}
}
