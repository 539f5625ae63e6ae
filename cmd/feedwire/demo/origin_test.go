package demo

import (
	"encoding/json"
	"encoding/xml"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

// demoAt makes an origin whose clock the test sets, in time since its start.
func demoAt(t *testing.T) (origin *demoOrigin, at func(time.Duration)) {
	t.Helper()
	start := time.Date(2026, 11, 20, 21, 0, 0, 0, time.UTC)
	now := start
	return NewOrigin(func() time.Time { return now }), func(d time.Duration) { now = start.Add(d) }
}

func get(t *testing.T, o http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://demo.example"+path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	return w
}

func TestDemoHarbourAddsAPostEveryFiveSeconds(t *testing.T) {
	t.Parallel()
	origin, at := demoAt(t)
	tests := []struct {
		at    time.Duration
		items int
	}{
		{-time.Second, 6}, {0, 6}, {4999 * time.Millisecond, 6}, {5 * time.Second, 7}, {14 * time.Second, 8},
		{30 * time.Second, 12}, {time.Hour, 12},
	}
	for _, tt := range tests {
		at(tt.at)
		var got wiretest.Document
		if err := xml.Unmarshal(get(t, origin, "/harbour.rss").Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.GUIDs) != tt.items || len(slices.Compact(slices.Sorted(slices.Values(got.GUIDs)))) != tt.items {
			t.Errorf("after %v: got guids %q, want %d different ones", tt.at, got.GUIDs, tt.items)
		}
	}
}

func TestDemoObservatoryEditsAnOldTitle(t *testing.T) {
	t.Parallel()
	origin, at := demoAt(t)
	type entry struct {
		ID      string `xml:"id"`
		Title   string `xml:"title"`
		Updated string `xml:"updated"`
	}
	entries := func(d time.Duration) []entry {
		at(d)
		var feed struct {
			Entries []entry `xml:"http://www.w3.org/2005/Atom entry"`
		}
		if err := xml.Unmarshal(get(t, origin, "/observatory.atom").Body.Bytes(), &feed); err != nil {
			t.Fatal(err)
		}
		return feed.Entries
	}
	before, after := entries(7*time.Second), entries(8*time.Second)
	if len(before) != 4 || len(after) != 4 {
		t.Fatalf("got %d entries, then %d; want 4", len(before), len(after))
	}
	if diff := cmp.Diff(before[:3], after[:3]); diff != "" {
		t.Errorf("the newer entries changed (-before +after):\n%s", diff)
	}
	want := entry{before[3].ID, before[3].Title + ", and where to look for it", "2026-11-20T21:00:08Z"}
	if diff := cmp.Diff(want, after[3]); diff != "" {
		t.Errorf("the oldest entry (-want +got):\n%s", diff)
	}
}

func TestDemoGardenLimitsOnce(t *testing.T) {
	t.Parallel()
	origin, at := demoAt(t)
	var got []int
	for _, d := range []time.Duration{0, 5 * time.Second, 7 * time.Second, 7 * time.Second, time.Minute} {
		at(d)
		w := get(t, origin, "/garden.json")
		got = append(got, w.Code)
		if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") != "3" {
			t.Errorf("got Retry-After %q, want 3", w.Header().Get("Retry-After"))
		}
	}
	if diff := cmp.Diff([]int{200, 200, 429, 200, 200}, got); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	var feed struct {
		Version string
		Items   []struct {
			ID   string
			HTML string `json:"content_html"`
		}
	}
	if err := json.Unmarshal(get(t, origin, "/garden.json").Body.Bytes(), &feed); err != nil {
		t.Fatal(err)
	}
	if feed.Version != "https://jsonfeed.org/version/1.1" || len(feed.Items) != 4 || feed.Items[0].HTML == "" {
		t.Errorf("got %+v, want a JSON Feed of four posts", feed)
	}
}

func TestDemoBrokenFeedEnds(t *testing.T) {
	t.Parallel()
	origin, at := demoAt(t)
	w := get(t, origin, "/broken.xml")
	if err := xml.Unmarshal(w.Body.Bytes(), new(struct{})); w.Code != http.StatusOK || err == nil {
		t.Errorf("got %d and a document that reads well, want a malformed one", w.Code)
	}
	at(12 * time.Second)
	if got := get(t, origin, "/broken.xml").Code; got != http.StatusGone {
		t.Errorf("got %d, want 410", got)
	}
}

func TestDemoAnswersConditionalRequests(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/harbour.rss", "/observatory.atom", "/garden.json"} {
		t.Run(path, func(t *testing.T) {
			origin, at := demoAt(t)
			first := get(t, origin, path).Result()
			etag, modified := first.Header.Get("ETag"), first.Header.Get("Last-Modified")
			at(time.Second)
			for _, header := range [][]string{{"If-None-Match", etag}, {"If-Modified-Since", modified}} {
				w := get(t, origin, path, header...)
				if w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("ETag") != etag {
					t.Errorf("%q: got %d, %d bytes, ETag %s; want 304 with the same ETag", header, w.Code, w.Body.Len(),
						w.Header().Get("ETag"))
				}
			}
			if path == "/garden.json" {
				return // it does not change
			}
			at(9 * time.Second)
			for _, header := range [][]string{{"If-None-Match", etag}, {"If-Modified-Since", modified}} {
				if got := get(t, origin, path, header...).Code; got != http.StatusOK {
					t.Errorf("%q after a change: got %d, want 200", header, got)
				}
			}
		})
	}
}

func TestLivingOriginHasTwoDaysAndGoesOn(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 20, 21, 0, 0, 0, time.UTC)
	now := start
	origin := NewLivingOrigin(func() time.Time { return now })
	slugs := make(map[string]story)
	for _, feed := range []string{"harbour", "observatory", "garden"} {
		posts := origin.posts(feed, 0)
		if len(posts) != historyPosts || start.Sub(posts[0].Published) != 48*time.Hour {
			t.Errorf("%s begins with %d posts, the first from %s", feed, len(posts), posts[0].Published)
		}
	}
	corrected := 0
	for ; now.Before(start.Add(time.Hour)); now = now.Add(15 * time.Second) {
		for _, p := range origin.posts("harbour", 0) {
			before, known := slugs[p.Slug]
			if known && (!p.Published.Equal(before.Published) || p.Title != before.Title && !strings.HasSuffix(p.Title, " (corrected)")) {
				t.Fatalf("%q became %q", before.Title, p.Title)
			}
			if known && p.Title != before.Title {
				corrected++
			}
			if slugs[p.Slug] = p; !strings.Contains(p.Body.XML, "<img") {
				t.Fatalf("%s has no picture", p.Slug)
			}
		}
	}
	if len(slugs) < 100 || corrected < 30 {
		t.Errorf("%d posts and %d corrections in an hour", len(slugs), corrected)
	}
	for slug := range slugs {
		if got := get(t, origin, "/posts/"+slug); got.Code != http.StatusOK {
			t.Fatalf("page of %s: got %d", slug, got.Code)
		}
	}
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{time.Hour, http.StatusServiceUnavailable}, {time.Hour + failFor, http.StatusTooManyRequests}, {time.Hour + failFor, http.StatusOK}} {
		now = start.Add(c.after)
		if got := get(t, origin, "/garden.json").Code; got != c.want {
			t.Errorf("garden after %s: got %d, want %d", c.after, got, c.want)
		}
	}
}

func TestDemoStoriesAreCompleteAndTheirLinksLead(t *testing.T) {
	t.Parallel()
	origin, _ := demoAt(t)
	reference := regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	slugs := make(map[string]bool)
	for _, s := range readStories() {
		if slugs[s.Slug] || s.Title == "" || s.Author == "" || s.Summary == "" {
			t.Errorf("story %q is there twice or lacks something", s.Slug)
		}
		slugs[s.Slug] = true
		if err := xml.Unmarshal([]byte("<div>"+s.Body.XML+"</div>"), new(struct{})); err != nil {
			t.Errorf("story %s: %v", s.Slug, err)
		}
		base := &url.URL{Scheme: "http", Host: "demo.example", Path: "/posts/" + s.Slug}
		if got := get(t, origin, base.Path); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), s.Title) {
			t.Errorf("page of %s: got %d", s.Slug, got.Code)
		}
		for _, m := range reference.FindAllStringSubmatch(s.Body.XML, -1) {
			u, err := base.Parse(m[1])
			if err != nil {
				t.Fatal(err)
			}
			got := get(t, origin, u.Path)
			if u.Host == base.Host && got.Code != http.StatusOK {
				t.Errorf("story %s: %s answers %d", s.Slug, u, got.Code)
			}
			if _, err := png.Decode(got.Body); strings.HasPrefix(u.Path, "/img/") && err != nil {
				t.Errorf("story %s: readers cannot see %s: %v", s.Slug, u, err)
			}
		}
	}
	for _, path := range append(demoFeeds(), "/") {
		if got := get(t, origin, path).Code; got != http.StatusOK {
			t.Errorf("%s answers %d", path, got)
		}
	}
	for _, path := range []string{"/posts/none", "/img/none.svg", "/none"} {
		if got := get(t, origin, path).Code; got != http.StatusNotFound {
			t.Errorf("%s answers %d, want 404", path, got)
		}
	}
}

func TestFetchReportsStatusAndItems(t *testing.T) {
	t.Parallel()
	origin, _ := demoAt(t)
	var agents []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent()) // one request at a time
		w.Header().Set("X-Feedwire-Impressions", "counted")
		switch len(agents) {
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3:
			_, _ = io.WriteString(w, "<rss><channel>")
		default:
			origin.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	var results []crawlResult
	for i, want := range []struct {
		status, items int
		failed        bool
	}{{200, 6, false}, {503, 0, false}, {200, 0, true}, {200, 6, false}} {
		got, err := fetch(t.Context(), server.Client(), server.URL+"/harbour.rss")
		if got.Status != want.status || got.Items != want.items || (err != nil) != want.failed {
			t.Errorf("fetch %d: got %d with %d items, %v; want %+v", i, got.Status, got.Items, err, want)
		}
		results = append(results, got)
	}
	if got := results[0]; got.Bytes == 0 || got.Impressions != "counted" {
		t.Errorf("got %+v", got)
	}
	if want := slices.Repeat([]string{"facebookexternalhit/1.1"}, 4); !slices.Equal(agents, want) {
		t.Errorf("got agents %q, want %q", agents, want)
	}
}

func TestFetchReportsWhatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	if got, err := fetch(t.Context(), http.DefaultClient, server.URL); err == nil || got.Status != 0 {
		t.Errorf("got %+v, want an error and no status", got)
	}
}
