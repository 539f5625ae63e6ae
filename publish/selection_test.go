package publish_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/store/feed"
)

// withBad makes n stories of which the oldest bad ones cannot be rendered.
func withBad(bad, n int) []feed.Article {
	list := stories(n)
	for i := range bad {
		list[i].Title = ""
	}
	return list
}

// failures checks feedwire_feed_render_failures_total.
func (s *site) failures(t *testing.T, want int) {
	t.Helper()
	text := "# HELP feedwire_feed_render_failures_total Articles and documents that could not be rendered and were left out.\n" +
		"# TYPE feedwire_feed_render_failures_total counter\n" +
		fmt.Sprintf("feedwire_feed_render_failures_total{feed=\"production\"} %d\n", want)
	if err := testutil.GatherAndCompare(s.reg, strings.NewReader(text), "feedwire_feed_render_failures_total"); err != nil {
		t.Error(err)
	}
}

func TestInvalidArticlesTakeNoPlaceInTheFeed(t *testing.T) {
	m := newMemory(withBad(150, 300)...)
	s := serve(t, m, production(), publish.Options{Freshness: -1})
	for range 3 {
		_, body := s.fetch(t, "GET", "curl/8")
		if n := strings.Count(body, "<item>"); n != feed.DefaultItems {
			t.Fatalf("got %d items, want %d", n, feed.DefaultItems)
		}
		for i, want := range map[int]bool{149: false, 150: true, 249: true, 250: false} {
			if got := strings.Contains(body, "Text of story "+fmt.Sprint(i)+"."); got != want {
				t.Errorf("story %d in the feed: %v, want %v", i, got, want)
			}
		}
		m.set(func() { m.version++ })
	}
	s.failures(t, 150)
}

func TestNumberOfPagesReadIsBounded(t *testing.T) {
	f := production()
	f.MaxItems = 2
	m := newMemory(withBad(40, 42)...)
	s := serve(t, m, f, publish.Options{Freshness: -1})
	if _, body := s.fetch(t, "GET", "curl/8"); strings.Contains(body, "<item>") || m.renders != 20 {
		t.Errorf("read %d pages, want 20 and no item", m.renders)
	}
	m.set(func() { m.articles, m.version = m.articles[1:], m.version+1 })
	if _, body := s.fetch(t, "GET", "curl/8"); strings.Count(body, "<item>") != 1 {
		t.Error("an article that came within reach is not in the feed")
	}
	s.failures(t, 40)
}

func TestInvalidArticleIsCountedOnceAcrossFailedRefreshes(t *testing.T) {
	f := production()
	f.MaxItems = 2
	m := newMemory(withBad(2, 4)...)
	m.torn = true
	s := serve(t, m, f, publish.Options{Freshness: -1})
	for range 3 {
		if resp, _ := s.fetch(t, "GET", "curl/8"); resp.StatusCode != 503 {
			t.Fatalf("got %d, want 503", resp.StatusCode)
		}
	}
	m.set(func() { m.torn = false })
	eventually(t, "the feed holds both good articles", func() bool {
		_, body := s.fetch(t, "GET", "curl/8")
		return strings.Count(body, "<item>") == 2
	})
	s.failures(t, 2)
}

func TestArticleRepublishedBetweenPagesIsShownOnce(t *testing.T) {
	f := production()
	f.MaxItems = 3
	m := newMemory(withBad(1, 5)...)
	m.between = func() { // story 1 becomes the newest one, in place of story 4
		again := m.articles[1]
		again.Feeds = map[string]feed.Placement{
			"production": {State: feed.StatePublished, Revision: 2, Published: m.articles[4].Published},
		}
		m.articles = append(m.articles[:1:1], append(m.articles[2:4:4], again)...)
		m.between = nil
	}
	s := serve(t, m, f, publish.Options{Freshness: -1})
	_, body := s.fetch(t, "GET", "curl/8")
	if n := strings.Count(body, ">"+story(1, "").UUID+"<"); n != 1 {
		t.Errorf("the article is in the feed %d times", n)
	}
	m.set(func() { m.version++ })
	if _, body = s.fetch(t, "GET", "curl/8"); strings.Count(body, "<item>") != 3 {
		t.Error("the next look does not show all three articles")
	}
}
