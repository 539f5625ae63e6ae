package article_test

import (
	"errors"
	"testing"

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
