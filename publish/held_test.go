package publish_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// An article that breaks the format stays out with its reason, and the feed goes on without it; mended, it is there.
func TestAnErrorHoldsTheArticleBackNotTheFeed(t *testing.T) {
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
		if got := s.publisher.HeldBack(&record, "production"); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("article %d is held back because of %q", i, got)
		}
		record.Content = ""
		if got := s.publisher.HeldBack(&record, "production"); (got == "") != (want == "") {
			t.Errorf("without its content article %d is held back because of %q", i, got)
		}
	}
	heldBack(t, s, "1")

	m.set(func() {
		m.articles[1].Canonical = "https://example.org/1"
		m.articles[1].Digest = "mended"
		m.version++
	})
	if _, body = s.fetch(t, "GET", "curl/8"); strings.Count(body, "<item>") != 3 {
		t.Errorf("the mended article is not there: %s", body)
	}
	heldBack(t, s, "0")
}

// Where the profile takes addresses with a query, that is a warning.
func TestAProfileCanTakeAddressesWithAQuery(t *testing.T) {
	own, _ := profile.Find(profile.InstantArticles, nil)
	own.Name, own.QueryAddresses = "lenient", true
	f := production()
	f.Profile = own.Name
	a := story(1, "<p>Text</p>")
	a.Canonical = "https://example.org/?p=1"
	p := publish.New(newMemory(), []feed.Outgoing{f}, publish.Options{Profiles: []profile.Profile{own}})
	v, err := p.Preview(t.Context(), a, f.Type)
	if err != nil || v.HeldBack != "" || len(v.Findings) != 1 || v.Findings[0].Rule != instant.RuleAddressQuery ||
		v.Findings[0].Severity != instant.SeverityWarning {
		t.Errorf("%v, held back because of %q, %+v", err, v.HeldBack, v.Findings)
	}
}

func heldBack(t *testing.T, s *site, want string) {
	t.Helper()
	text := "# HELP feedwire_feed_held_back Published articles that the current document of an outgoing feed leaves out, because " +
		"they break its format.\n# TYPE feedwire_feed_held_back gauge\nfeedwire_feed_held_back{feed=\"production\"} " + want + "\n"
	if err := testutil.GatherAndCompare(s.reg, strings.NewReader(text), "feedwire_feed_held_back"); err != nil {
		t.Error(err)
	}
}

func TestPreviewTellsWhatBecomesOfAnArticle(t *testing.T) {
	p := publish.New(newMemory(), []feed.Outgoing{production()}, publish.Options{})
	v, err := p.Preview(t.Context(), story(1, `<p>Hi<script>x()</script></p>`), "production")
	if err != nil || !strings.Contains(v.Markup, "<p>Hi</p>") || len(v.Warnings) != 1 || len(v.Findings) != 0 || v.HeldBack != "" {
		t.Errorf("got %+v, %v", v, err)
	}
	bare := story(1, "<p>Hi</p>")
	bare.Title, bare.Canonical = "", "https://example.org/?p=1"
	v, err = p.Preview(t.Context(), bare, "production")
	if err != nil || v.Markup != "" || v.HeldBack != "it has no title" || len(v.Findings) != 2 ||
		v.Findings[0].Severity != instant.SeverityError {
		t.Errorf("got %+v, %v", v, err)
	}
	v, err = p.Preview(t.Context(), story(1, "<p> </p>"), "production")
	if err != nil || v.HeldBack != "article has no content that can be shown" {
		t.Errorf("got %+v, %v", v, err)
	}
	if _, err := p.Preview(t.Context(), story(1, "x"), "nope"); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("unknown feed: got %v", err)
	}
	record := story(1, "x")
	if reason := p.HeldBack(&record, "nope"); reason != "" {
		t.Errorf("an unknown feed holds back: %s", reason)
	}
}

// Sources put into their links where a reader comes from; such an address is mended, not held back.
func TestTheAddressOfAnInstantArticleIsThatOfItsPage(t *testing.T) {
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
