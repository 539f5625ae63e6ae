package article_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestArticleHasFieldsOfItsEntry(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		want := feed.Article{
			UUID: feed.ArticleUUID(harbour, "g1"), FeedURL: harbour, GUID: "g1", Title: "T", Canonical: "http://x/", Digest: "d",
			Categories: []string{"Ships", "R & D"}, Image: "http://x/a.jpg",
			Enclosures: []feed.Enclosure{{URL: "http://x/a.mp3", Type: "audio/mpeg", Length: 12}, {URL: "http://x/b"}},
			Fields:     feed.FieldValues{"duration": "62", "explicit": "false", "persons": `[{"name":"R & D"}]`, "geo_point": "1 2"},
		}
		if _, err := s.SaveArticle(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		got, err := s.Article(t.Context(), want.UUID, types)
		if err != nil {
			t.Fatal(err)
		}
		got.Updated, got.Feeds = want.Updated, want.Feeds
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if _, err := s.Article(t.Context(), feed.ArticleUUID(harbour, "none"), types); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("a missing article: %v", err)
		}
	})
}

func TestEarlierSignalDoesNotOverwriteArticle(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		uuid := feed.ArticleUUID(harbour, "g1")
		saveWith := func(digest, signal string) bool {
			t.Helper()
			a := feed.Article{UUID: uuid, FeedURL: harbour, GUID: "g1", Title: "T", Canonical: "http://x/", Digest: digest, Signal: signal}
			saved, err := s.SaveArticle(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			return saved
		}
		if !saveWith("v2", "1000-10") || saveWith("v1", "1000-9") || saveWith("v1", "999-11") {
			t.Error("an earlier signal overwrote a later one")
		}
		publish(t, s, uuid, "production")
		if tr := autoPublish(t, s, uuid, "v1", true); tr.Changed {
			t.Errorf("publish old content: %+v", tr)
		}
		if !saveWith("v3", "1001-0") || !saveWith("v4", "") {
			t.Error("a later change was not written")
		}
	})
}

func TestArticleIsRefreshedWithoutAnotherRevision(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, clock *storetest.Clock, _ *storetest.Redigo) {
		was := feed.Article{
			UUID: feed.ArticleUUID(harbour, "g1"), FeedURL: harbour, GUID: "g1", Title: "T", Canonical: "http://x/", Content: "<p>T</p>",
			Digest: "d1", Signal: "1000-1",
		}
		if _, err := s.SaveArticle(t.Context(), was); err != nil {
			t.Fatal(err)
		}
		publish(t, s, was.UUID, "production")
		load := func() (feed.Article, string) {
			t.Helper()
			a, err := s.Article(t.Context(), was.UUID, types)
			version, errVersion := s.FeedVersion(t.Context(), "production")
			if err != nil || errVersion != nil {
				t.Fatal(err, errVersion)
			}
			return a, version
		}
		refresh := func(a feed.Article, before string) {
			t.Helper()
			if err := s.RefreshArticle(t.Context(), a, before); err != nil {
				t.Fatal(err)
			}
		}
		want, version := load()
		clock.Advance(time.Hour)

		anew := was
		anew.Digest, anew.Fields, anew.Title, anew.Content = "d2", feed.FieldValues{"duration": "62"}, "Read anew", ""
		refresh(anew, "other")
		if got, now := load(); !cmp.Equal(want, got) || now != version {
			t.Errorf("an article with other content changed: %s", cmp.Diff(want, got))
		}
		for range 2 {
			refresh(anew, "d1")
			want.Digest, want.Fields, want.Title, want.Content, want.Reread = anew.Digest, anew.Fields, anew.Title, "", clock.Now()
			got, now := load()
			got.Reread = got.Reread.In(want.Reread.Location())
			if diff := cmp.Diff(want, got); diff != "" || now == version {
				t.Errorf("the feed has version %s, had %s; the article (-want +got):\n%s", now, version, diff)
			}
		}
		if tr := autoPublish(t, s, was.UUID, "d2", true); tr.Changed {
			t.Errorf("it is published again: %+v", tr)
		}
		_, version = load()
		refresh(anew, "")
		if _, now := load(); now != version {
			t.Error("a refresh without a change changes the feed")
		}

		missing := anew
		missing.UUID = feed.ArticleUUID(harbour, "none")
		refresh(missing, "d1")
		if _, err := s.Article(t.Context(), missing.UUID, types); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("a missing article: %v", err)
		}
	})
}
