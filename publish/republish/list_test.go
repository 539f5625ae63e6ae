package republish_test

import (
	"errors"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/republish"
	"github.com/feedwire/feedwire/store/feed"
)

// sport is a store with a list of entries of the harbour and of a yard, which have a guid in common.
func sport() *shelf {
	s := harbour()
	yard := feed.Source{ID: feed.SourceID("https://yard.example/feed"), URL: "https://yard.example/feed", About: feed.About{Title: "The yard"}}
	s.list = feed.ListPage{
		Entries: []feed.Entry{
			{ID: "Entry:9", FeedURL: yard.URL, GUID: "no link", Title: "Keel laid", Link: "/keel", Content: `<p>In the <a href="yard">yard</a><script>x</script>`, Timestamp: may},
			s.entries[0], s.entries[2],
		},
		Sources: map[string]feed.Source{yard.URL: yard, s.source.URL: s.source},
	}
	return s
}

func TestFeedsOfListsAreValidAndNameTheSources(t *testing.T) {
	w := serve(t, sport(), republish.Options{})
	for _, format := range []string{"rss", "atom", "json"} {
		resp, content := w.fetchPath(t, "GET", "/lists/sport."+format)
		read := valid(t, format, content, 3)
		var titles, ids []string
		for _, item := range read.Items {
			titles, ids = append(titles, html.UnescapeString(item.Title)), append(ids, item.GUID)
		}
		if want := []string{"Keel laid", "A bridge <opens>", "No link"}; !slices.Equal(titles, want) {
			t.Errorf("%s has %q, want %q", format, titles, want)
		}
		if slices.Sort(ids); len(slices.Compact(ids)) != 3 {
			t.Errorf("%s has the ids %q", format, ids)
		}
		for _, want := range []string{
			`https://wire.example/hub`, `https://wire.example/lists/sport.` + format, "https://yard.example/keel", "https://yard.example/yard",
		} {
			if !strings.Contains(content, want) {
				t.Errorf("%s lacks %s:\n%s", format, want, content)
			}
		}
		if strings.Contains(content, "<script") || read.Title != "sport" || !strings.Contains(content, "The yard") {
			t.Errorf("%s is\n%s", format, content)
		}
		if again, _ := w.fetchPath(t, "GET", "/lists/sport."+format, "If-None-Match", resp.Header.Get("Etag")); again.StatusCode != 304 {
			t.Errorf("%s again: got %d", format, again.StatusCode)
		}
	}
}

func TestListFeedFollowsTheOrder(t *testing.T) {
	s := sport()
	w := serve(t, s, republish.Options{})
	_, before := w.fetchPath(t, "GET", "/lists/sport.rss")
	entries := series(t, w.reg, "feedwire_republish_entries_total")
	s.change(func() { slices.Reverse(s.list.Entries) })
	_, after := w.fetchPath(t, "GET", "/lists/sport.rss")
	if strings.Index(before, "Keel") > strings.Index(before, "No link") || strings.Index(after, "Keel") < strings.Index(after, "No link") {
		t.Errorf("the order of the feed did not change:\n%s", after)
	}
	if cleaned := series(t, w.reg, "feedwire_republish_entries_total") - entries; cleaned != 0 {
		t.Errorf("%v entries were cleaned again", cleaned)
	}
}

func TestListsCanRequireTheToken(t *testing.T) {
	open := true
	w := serve(t, sport(), republish.Options{
		OpenLists: func() bool { return open }, Trusted: func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer x" },
	})
	topics := w.feeds.ListURLs("sport")
	if _, err := w.feeds.Document(t.Context(), topics[0]); err != nil || len(topics) != 3 {
		t.Errorf("as topics %q: %v", topics, err)
	}
	open = false
	for _, path := range []string{"/lists/sport.rss", "/lists/none.rss"} {
		resp, content := w.fetchPath(t, "GET", path)
		if resp.StatusCode != 401 || strings.Contains(content, "Keel") || resp.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s without the token: got %d", path, resp.StatusCode)
		}
	}
	if resp, _ := w.fetchPath(t, "GET", "/lists/none.rss", "Authorization", "Bearer x"); resp.StatusCode != 404 {
		t.Errorf("an unknown list with the token: got %d", resp.StatusCode)
	}
	resp, content := w.fetchPath(t, "GET", "/lists/sport.rss", "Authorization", "Bearer x")
	if resp.StatusCode != 200 || resp.Header.Get("Cache-Control") != "private, no-cache" || strings.Contains(content, "/hub") {
		t.Errorf("with the token: got %d %v", resp.StatusCode, resp.Header)
	}
	if _, err := w.feeds.Document(t.Context(), topics[0]); !errors.Is(err, feed.ErrNotFound) || w.feeds.ListURLs("sport") != nil {
		t.Errorf("as a topic: got %v", err)
	}
}

func TestUnknownListsAndParametersAreRefused(t *testing.T) {
	w := serve(t, sport(), republish.Options{})
	for path, want := range map[string]int{"/lists/other.rss": 404, "/lists/sport": 404, "/lists/.rss": 404, "/lists/sport.xml": 404, "/lists/sport.rss?cursor=NaN": 400} {
		if resp, _ := w.fetchPath(t, "GET", path); resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, resp.StatusCode, want)
		}
	}
}

func TestListURLsIdentifyTheirList(t *testing.T) {
	s := republish.New(sport(), "https://wire.example/base", republish.Options{})
	for _, list := range []string{"sport", "a.b", "a.rss"} {
		for _, url := range s.ListURLs(list) {
			if s.ListOf(url) != list || s.SourceOf(url) != "" {
				t.Errorf("%s is of list %q, of source %q", url, s.ListOf(url), s.SourceOf(url))
			}
		}
	}
	for _, url := range []string{
		"https://wire.example/lists/sport.rss", "https://wire.example/base/lists/sport", "https://wire.example/base/lists/a/b.rss", s.URLs("x")[0],
	} {
		if s.ListOf(url) != "" {
			t.Errorf("%s is of list %q", url, s.ListOf(url))
		}
	}
}
