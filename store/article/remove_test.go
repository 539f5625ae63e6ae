package article_test

import (
	"errors"
	"testing"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestRemovedArticleIsInNoFeed(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		uuid, other := save(t, s, "g1", "v1"), save(t, s, "g2", "v1")
		publish(t, s, uuid, "production")
		publish(t, s, uuid, "development")
		withdraw(t, s, uuid, "development")
		publish(t, s, other, "production")
		record(t, s, "f1", feed.Impression{UUID: uuid, Revision: 1})
		before, err := s.FeedVersion(t.Context(), "production")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // a repetition is a no-op
			if err := s.RemoveArticle(t.Context(), uuid); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Article(t.Context(), uuid, types); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("the article gave %v", err)
		}
		if after, err := s.FeedVersion(t.Context(), "production"); err != nil || after == before {
			t.Errorf("version %s became %s, %v", before, after, err)
		}
		if n, err := s.Removals(t.Context()); n != 2 || err != nil {
			t.Errorf("%d removals, %v", n, err)
		}
		for _, typ := range types {
			for _, state := range []string{"published_", "withdrawn_", "imported_", "expired_"} {
				for _, left := range raw.Strings("ZRANGE", state+typ, 0, -1) {
					if left == uuid {
						t.Errorf("%s%s has it", state, typ)
					}
				}
			}
			if n := raw.Int("EXISTS", "article:"+uuid+":impressions:"+typ); n != 0 {
				t.Errorf("impressions in %s are left", typ)
			}
		}
	})
}
