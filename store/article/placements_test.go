package article_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func autoPublish(t *testing.T, s *article.Store, uuid, digest string, publishNew bool) feed.Transition {
	t.Helper()
	tr, err := s.AutoPublish(t.Context(), uuid, "production", digest, publishNew)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestRepublishingStartsNewRevision(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		uuid := save(t, s, "g1", "v1")
		publish(t, s, uuid, "production")
		old := feed.Impression{UUID: uuid, Revision: 1}
		for i := range 3 {
			record(t, s, fmt.Sprint(i), old)
		}
		save(t, s, "g1", "v2")
		if tr := autoPublish(t, s, uuid, "v2", false); !tr.Changed || tr.Revision != 2 {
			t.Fatalf("after an edit: %+v", tr)
		}
		if tr := autoPublish(t, s, uuid, "v2", false); tr.Changed {
			t.Errorf("the same content again: %+v", tr)
		}
		if got := record(t, s, "late", old); got.Ignored != 1 || got.Counted != 0 {
			t.Errorf("an impression of the old revision: %+v", got)
		}
		if p := placement(t, s, uuid, "production"); p.State != feed.StatePublished || len(p.Impressions) != 0 || p.Revision != 2 {
			t.Errorf("got %+v", p)
		}
	})
}

func TestRuleDoesNotPublishWithdrawnArticle(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		uuid := save(t, s, "g1", "v1")
		if done := decide(t, s, "early", uuid, false, feed.SeenState{}); !errors.Is(done.Err, feed.ErrConflict) {
			t.Errorf("withdraw an unpublished article: %v", done.Err)
		}
		if tr := autoPublish(t, s, uuid, "v1", false); tr.Changed {
			t.Errorf("without publishNew: %+v", tr)
		}
		if tr := autoPublish(t, s, uuid, "v1", true); tr.To != feed.StatePublished {
			t.Errorf("with publishNew: %+v", tr)
		}
		if tr := withdraw(t, s, uuid, "production"); tr.From != feed.StatePublished || tr.To != feed.StateWithdrawn {
			t.Errorf("withdraw: %+v", tr)
		}
		save(t, s, "g1", "v2")
		if tr := autoPublish(t, s, uuid, "v2", true); tr.Changed {
			t.Errorf("the rule published a withdrawn article: %+v", tr)
		}
		if tr := publish(t, s, uuid, "production"); tr.From != feed.StateWithdrawn || tr.Revision != 2 {
			t.Errorf("publish again: %+v", tr)
		}
	})
}

func TestExpiredArticleCanBePublishedAgain(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, _ *storetest.Redigo) {
		uuid := save(t, s, "g1", "v1")
		publish(t, s, uuid, "production")
		before := version(t, s)
		now.Advance(feed.DefaultWindow)
		if got, err := s.ExpireArticles(t.Context(), "production", feed.DefaultWindow); err != nil || len(got) != 0 {
			t.Errorf("at the end of the window: %v, %v", got, err)
		}
		now.Advance(time.Second)
		if got, err := s.ExpireArticles(t.Context(), "production", feed.DefaultWindow); err != nil || !cmp.Equal(got, []string{uuid}) {
			t.Errorf("after the window: %v, %v", got, err)
		}
		if after := version(t, s); after == before {
			t.Errorf("the version is still %s", after)
		}
		if p := placement(t, s, uuid, "production"); p.State != feed.StateExpired {
			t.Errorf("the state is %s", p.State)
		}
		if tr := publish(t, s, uuid, "production"); tr.From != feed.StateExpired || tr.To != feed.StatePublished {
			t.Errorf("publish again: %+v", tr)
		}
	})
}

func TestForgetArticlesKeepsPublishedArticle(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, raw *storetest.Redigo) {
		out, idle := save(t, s, "out", "v1"), save(t, s, "idle", "v1")
		publish(t, s, out, "production")
		publish(t, s, idle, "development")
		withdraw(t, s, idle, "development")
		now.Advance(time.Hour)
		if n, err := s.ForgetArticles(t.Context(), types, now.Time); n != 1 || err != nil {
			t.Errorf("deleted %d, %v", n, err)
		}
		for _, key := range raw.Keys("*") {
			if key == "article:"+idle || key == "withdrawn_development" {
				t.Errorf("%s is left", key)
			}
		}
		if p := placement(t, s, out, "production"); p.State != feed.StatePublished {
			t.Errorf("the published article is %s", p.State)
		}
	})
}

func TestArticleWithDigestOfVersion1IsNotPublishedAgain(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, raw *storetest.Redigo) {
		e := feed.Entry{
			FeedURL: harbour, GUID: "g1", Title: "One", Link: "http://harbour.example/g1", Content: "<p>One</p>", Timestamp: now.Time,
			Published: now.Time,
			Extra:     map[string]string{"categories": `[{"term":"Sea"}]`}, // in digests of version 1 only
		}
		a := feed.Article{
			UUID: feed.ArticleUUID(harbour, "g1"), FeedURL: harbour, GUID: "g1", Entry: "Entry:1", Title: e.Title, Canonical: e.Link,
			Content: e.Content, Digest: e.DigestV1(), Published: now.Time,
		}
		saveAndPublish := func(a feed.Article) (bool, feed.Transition) {
			t.Helper()
			changed, err := s.SaveArticle(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			return changed, autoPublish(t, s, a.UUID, a.Digest, true)
		}
		saveAndPublish(a)

		a.Digest, a.DigestV1 = e.Digest(), e.DigestV1()
		for range 2 {
			if saved, done := saveAndPublish(a); saved || done.Changed || done.Revision != 1 {
				t.Fatalf("after the upgrade: saved %v, %+v", saved, done)
			}
		}
		if got := raw.StringMap("HGETALL", "article:"+a.UUID)["digest_production"]; got != a.Digest {
			t.Errorf("digest_production is %q, want %q", got, a.Digest)
		}
		e.Content = "<p>edited</p>"
		a.Content, a.Digest, a.DigestV1 = e.Content, e.Digest(), e.DigestV1()
		if saved, done := saveAndPublish(a); !saved || !done.Changed || done.Revision != 2 {
			t.Errorf("after an edit: saved %v, %+v", saved, done)
		}
	})
}
