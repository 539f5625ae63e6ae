package community_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/feedtest"
	"github.com/feedwire/feedwire/store/feed"
)

// feed returns a feed of the site.
func (s *site) feed(path string) string {
	s.t.Helper()
	document := s.page(path)
	if problems := feedtest.RSS([]byte(document)); len(problems) > 0 {
		s.t.Errorf("%s: %v\n%s", path, problems, document)
	}
	return document
}

// 003-34, A7
func TestFeedsHaveWhatEveryoneSees(t *testing.T) {
	onRedis(t, func(s *site) {
		s.as("root") // submits without a break
		for _, title := range []string{"One & <only>", "Hidden", "Removed", "Deleted"} {
			s.sends("/submit", url.Values{"title": {title}, "url": {"https://a.example/" + url.PathEscape(title)}})
			s.Clock.Advance(time.Second)
		}
		s.sends("/submit", url.Values{"title": {"A text"}, "text": {"Why <b>not</b>?"}})
		s.sends("/news/4/delete", nil)
		for n, state := range map[int64]feed.Visibility{2: feed.Hidden, 3: feed.Removed} {
			_, err := s.ModerateNews(t.Context(), n, state, "")
			s.ok(err)
		}
		for _, body := range []string{"First `x`", "Hidden words", "Deleted words"} {
			s.sends("/news/1/comments", url.Values{"body": {body}})
			s.Clock.Advance(time.Second)
		}
		s.sends("/news/1/comments", url.Values{"body": {"A reply"}, "parent_id": {"1"}})
		s.sends("/comment/1/3/delete", nil)
		_, err := s.ModerateComment(t.Context(), 1, 2, feed.Hidden)
		s.ok(err)

		for _, who := range []string{"root", "ann", ""} { // a moderator gets the same documents
			s.as(who)
			latest, top, thread := s.feed("/rss"), s.feed("/rss/top"), s.feed("/news/1/rss")
			for _, document := range []string{latest, top} {
				s.shows(document, "One &amp;amp; &amp;lt;only&amp;gt;", "A text", "https://a.example/One%20&amp;%20%3Conly%3E", "https://wire.example/community/news/1", "root", "!Hidden", "!Removed", "!Deleted", "!<b>not", "<pubDate>")
			}
			if strings.Index(latest, "A text") > strings.Index(latest, "One &amp;") {
				t.Errorf("the latest is not first: %s", latest)
			}
			s.shows(latest, `href="https://wire.example/community/rss"`)
			s.shows(top, `href="https://wire.example/community/rss/top"`)
			s.shows(thread, "A reply", "<code>x</code>", "https://wire.example/community/comment/1/4", "!Hidden words", "!Deleted words")
		}
		s.send(http.StatusNotFound, "GET", "/community/news/2/rss", "")
		s.send(http.StatusGone, "GET", "/community/news/4/rss", "")
		s.shows(s.page("/news/1"), `title="Comments" href="/community/news/1/rss"`, `href="/community/rss/top"`)
	})
}

func TestFeedsAnswerConditionalRequests(t *testing.T) {
	onRedis(t, func(s *site) {
		s.sends("/submit", url.Values{"title": {"One"}, "url": {"https://a.example/one"}})
		for _, path := range []string{"/rss", "/rss/top", "/news/1/rss"} {
			got, head := s.Call("GET", "/community"+path, ""), s.Call("HEAD", "/community"+path, "")
			tag := got.Header().Get("ETag")
			if tag == "" || head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("ETag") != tag || !strings.HasPrefix(head.Header().Get("Content-Type"), "application/rss+xml") {
				t.Errorf("%s: HEAD got %d %v", path, head.Code, head.Header())
			}
			if again := s.Call("GET", "/community"+path, "", "If-None-Match", tag); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
				t.Errorf("%s: got %d with %s", path, again.Code, tag)
			}
		}
		tag := s.Call("GET", "/community/rss", "").Header().Get("ETag")
		s.sends("/editnews/1", url.Values{"title": {"Uno"}, "url": {"https://a.example/one"}})
		s.send(200, "GET", "/community/rss", "", "If-None-Match", tag)
	})
}

func TestRandomLeadsToWhatEveryoneSees(t *testing.T) {
	onRedis(t, func(s *site) {
		s.as("root")
		to := func() string {
			s.t.Helper()
			rec := s.Call("GET", "/community/random", "")
			if rec.Code != http.StatusSeeOther || rec.Header().Get("Cache-Control") != "no-store" {
				t.Fatalf("got %d %v", rec.Code, rec.Header())
			}
			return rec.Header().Get("Location")
		}
		if got := to(); got != "/community" {
			t.Errorf("an empty list leads to %s", got)
		}
		for _, title := range []string{"one", "two", "three", "four"} {
			s.sends("/submit", url.Values{"title": {title}, "url": {"https://a.example/" + title}})
		}
		s.sends("/news/1/delete", nil)
		_, err := s.ModerateNews(t.Context(), 2, feed.Hidden, "")
		s.ok(err)
		seen := make(map[string]bool)
		for len(seen) < 2 {
			got := to()
			if seen[got] = true; !slices.Contains([]string{"/community/news/3", "/community/news/4", "/community"}, got) {
				t.Fatalf("it leads to %s", got)
			}
			delete(seen, "/community") // no place near a random one was visible
		}
	})
}

func TestA7FeedHas100Items(t *testing.T) {
	onRedis(t, func(s *site) {
		const last = 101
		for n := 1; n <= last; n++ {
			s.raw.Do("HSET", fmt.Sprint("news:", n), "id", n, "title", fmt.Sprint("Title ", n, "."), "url", "https://a.example/", "user_id", s.ids["ann"], "ctime", n, "up", 0, "down", 0, "comments", 0)
			s.raw.Do("ZADD", "news.cron", n, n)
		}
		latest := s.feed("/rss")
		s.shows(latest, "Title 101.", "Title 2.", "!Title 1.")
		if items := strings.Count(latest, "<item>"); items != last-1 {
			t.Errorf("the feed has %d items", items)
		}
	})
}
