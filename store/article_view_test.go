package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestArticleViewHasVersionsAuditAndVisits(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		uuid := ""
		for i := range feed.MaxVersions + 2 {
			uuid = article(t, s, "g1", fmt.Sprint("v", i))
			now.Advance(time.Minute)
		}
		e := feed.AuditEntry{Time: now.Time, Who: "ann", Action: "article_publish", Object: feed.ArticleObject(uuid, "production"), Before: "unpublished", After: "published"}
		other := feed.AuditEntry{Time: now.Time, Who: "ben", Action: "user_add", Object: feed.AccountObject(&feed.Account{Name: uuid})}
		if err := s.Audit.AddAudit(t.Context(), e, other); err != nil {
			t.Fatal(err)
		}
		if err := s.Articles.AddVisits(t.Context(), "production", []feed.Visit{{Time: now.Time, Client: "facebook", Status: 200, Counted: true}}); err != nil {
			t.Fatal(err)
		}
		view, err := s.ArticleView(t.Context(), uuid, []string{"production", "development"}, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(view.Versions) != feed.MaxVersions || view.Versions[0].Digest != "v6" || view.Versions[4].Digest != "v2" {
			t.Errorf("versions %+v", view.Versions)
		}
		if v := view.Versions[0]; v.Content != view.Article.Content || v.Digest != view.Article.Digest || v.Time.IsZero() {
			t.Errorf("the newest version is %+v, the article %+v", v, view.Article)
		}
		if len(view.AuditEntries) != 1 || view.AuditEntries[0].Who != "ann" || len(view.Visits["production"]) != 1 {
			t.Errorf("audit entries %+v, visits %+v", view.AuditEntries, view.Visits)
		}
		if _, err := s.ArticleView(t.Context(), feed.ArticleUUID(harbour, "none"), nil, 1); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("a missing article: %v", err)
		}
		now.Advance(48 * time.Hour)
		if n, err := s.Articles.ForgetArticles(t.Context(), []string{"production"}, now.Time.Add(-time.Hour)); n != 1 || err != nil {
			t.Fatalf("deleted %d, %v", n, err)
		}
		if left := raw.Keys("article*"); len(left) != 0 {
			t.Errorf("keys left: %v", left)
		}
	})
}
