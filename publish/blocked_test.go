package publish_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// An article that breaks the format stays out with its reason, and the feed goes on without it; mended, it is there.
func TestErrorBlocksTheArticleNotTheFeed(t *testing.T) {
	list := stories(3)
	list[1].Canonical = "https://example.org/?p=1"
	m := newMemory(list...)
	s := serve(t, m, production(), publish.Options{Freshness: -1})
	_, body := s.fetch(t, "GET", "curl/8")
	if strings.Count(body, "<item>") != 2 || strings.Contains(body, "Story 1") {
		t.Errorf("the feed is %s", body)
	}
	for i, want := range []string{"", "has a query or a fragment", ""} {
		record := list[i]
		record.Content = ""
		if got := s.publisher.Blocked(&record, "production"); (got == "") != (want == "") {
			t.Errorf("without its content article %d is blocked because of %q", i, got)
		}
	}
	blocked(t, s, "1")

	m.set(func() {
		m.articles[1].Canonical = "https://example.org/1"
		m.articles[1].Digest = "mended"
		m.version++
	})
	if _, body = s.fetch(t, "GET", "curl/8"); strings.Count(body, "<item>") != 3 {
		t.Errorf("the mended article is not there: %s", body)
	}
	blocked(t, s, "0")
}

// If the profile accepts addresses with a query, the finding is a warning.
func TestProfileCanAllowURLsWithAQuery(t *testing.T) {
	own, _ := profile.Find(profile.InstantArticles, nil)
	own.Name, own.QueryAddresses = "lenient", true
	f := production()
	f.Profile = own.Name
	a := story(1, "<p>Text</p>")
	a.Canonical = "https://example.org/?p=1"
	p := publish.New(newMemory(), []feed.Outgoing{f}, publish.Options{Profiles: []profile.Profile{own}})
	v, err := p.Preview(t.Context(), a, f.Type)
	if err != nil || v.Blocked != "" || len(v.Findings) != 1 || v.Findings[0].Rule != validate.CanonicalQuery ||
		v.Findings[0].Severity != validate.Warning {
		t.Errorf("%v, blocked because of %q, %+v", err, v.Blocked, v.Findings)
	}
}

func blocked(t *testing.T, s *site, want string) {
	t.Helper()
	text := "# HELP feedwire_feed_blocked Published articles that the current document of an outgoing feed leaves out, because " +
		"they break its format.\n# TYPE feedwire_feed_blocked gauge\nfeedwire_feed_blocked{feed=\"production\"} " + want + "\n"
	if err := testutil.GatherAndCompare(s.reg, strings.NewReader(text), "feedwire_feed_blocked"); err != nil {
		t.Error(err)
	}
}

func TestPreviewShowsMarkupAndFindings(t *testing.T) {
	p := publish.New(newMemory(), []feed.Outgoing{production()}, publish.Options{})
	v, err := p.Preview(t.Context(), story(1, `<p>Hi<script>x()</script></p>`), "production")
	if err != nil || !strings.Contains(v.Markup, "<p>Hi</p>") || len(v.Warnings) != 1 || len(v.Findings) != 0 || v.Blocked != "" {
		t.Errorf("got %+v, %v", v, err)
	}
	bare := story(1, "<p>Hi</p>")
	bare.Title, bare.Canonical = "", "https://example.org/?p=1"
	v, err = p.Preview(t.Context(), bare, "production")
	if err != nil || v.Markup != "" || v.Blocked != "it has no title" || len(v.Findings) != 2 ||
		v.Findings[0].Severity != validate.Error {
		t.Errorf("got %+v, %v", v, err)
	}
	v, err = p.Preview(t.Context(), story(1, "<p> </p>"), "production")
	if err != nil || v.Blocked != "the article has no content to show" {
		t.Errorf("got %+v, %v", v, err)
	}
	if _, err := p.Preview(t.Context(), story(1, "x"), "nope"); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("unknown feed: got %v", err)
	}
	record := story(1, "x")
	if reason := p.Blocked(&record, "nope"); reason != "" {
		t.Errorf("an unknown feed holds back: %s", reason)
	}
}

// Sources put into their links where a reader comes from; such an address is mended, not blocked.
func TestURLOfInstantArticleHasNoTrackingAndNoFragment(t *testing.T) {
	list := stories(1)
	list[0].Canonical = "https://example.org/1?utm_source=rss&fbclid=x#respond"
	s := serve(t, newMemory(list...), production(), publish.Options{})
	_, body := s.fetch(t, "GET", "curl/8")
	for _, want := range []string{"<link>https://example.org/1</link>", `<link rel="canonical" href="https://example.org/1">`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}

// An article is judged before it is published, and its content is read once for each version and each change of the feed.
func TestVerdictPrecedesPublication(t *testing.T) {
	bad := story(1, "<p>Text</p>")
	bad.Canonical, bad.Feeds, bad.Published = "https://example.org/?p=1", nil, time.Time{}
	good := story(2, "<p>Text</p>")
	good.Feeds, good.Published = nil, time.Time{} // the date of publication replaces the one that it lacks
	feeds := []feed.Outgoing{production()}
	p := publish.New(newMemory(), feeds, publish.Options{})
	reads := 0
	verdict := func(a feed.Article, typ string) string {
		t.Helper()
		record := a
		record.Content = ""
		why, err := p.Verdict(&record, typ, func() (feed.Article, error) {
			reads++
			return a, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return why
	}
	for range 3 {
		if why := verdict(bad, "production"); !strings.Contains(why, "has a query or a fragment") {
			t.Errorf("the verdict about the bad article is %q", why)
		}
		if why := verdict(good, "production"); why != "" {
			t.Errorf("the verdict about the good article is %q", why)
		}
	}
	if verdict(bad, "nope"); reads != 2 {
		t.Errorf("two articles were read %d times", reads)
	}
	bad.Canonical, bad.Digest = "https://example.org/1", "mended"
	if why := verdict(bad, "production"); why != "" {
		t.Errorf("the verdict about the mended article is %q", why)
	}
	feeds[0].Title = "Changed"
	p.Reload(feeds, publish.Options{})
	if verdict(good, "production"); reads != 4 {
		t.Errorf("after an edit and a change of the feed there were %d reads, want 4", reads)
	}
	gone := story(3, "<p>Text</p>")
	if _, err := p.Verdict(&gone, "production", func() (feed.Article, error) { return gone, feed.ErrUnavailable }); !errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("without the store the error is %v", err)
	}
}

// Publishing a blocked article counts it without a fetch.
func TestBlockedArticleIsCountedBeforeTheFirstFetch(t *testing.T) {
	bad := story(1, "<p>Text</p>")
	bad.Canonical = "https://example.org/?p=1"
	m := newMemory()
	s := serve(t, m, production(), publish.Options{})
	m.set(func() {
		m.articles = []feed.Article{bad}
		m.version++
	})
	s.publisher.Changed("production")
	eventually(t, "a blocked article", func() bool { return len(s.publisher.BlockedArticles("production")) == 1 })
	blocked(t, s, "1")
}
