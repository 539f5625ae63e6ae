package article_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func cmpSorted() cmp.Option { return cmpopts.SortSlices(func(a, b string) bool { return a < b }) }

func TestFindArticlesPagesHaveEachMatchOnce(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, _ *storetest.Redigo) {
		var want []string
		for i := range 25 {
			if i%10 == 0 { // many share a time
				now.Advance(time.Second)
			}
			title := fmt.Sprintf("T%02d", i)
			save(t, s, title, title)
			if i%2 == 1 {
				want = append(want, title)
			}
		}
		var got []string
		q := feed.ArticleQuery{Limit: 3, Look: 7}
		for range 25 {
			page, err := s.FindArticles(t.Context(), q, []string{"production"}, func(a *feed.Article) bool {
				return strings.ContainsAny(a.GUID[2:], "13579")
			})
			if err != nil || len(page.Articles) > 3 || page.Looked > 7 {
				t.Fatalf("%+v, %v", page, err)
			}
			for _, a := range page.Articles {
				got = append(got, a.GUID)
			}
			if q.From = page.Next; q.From.IsZero() {
				break
			}
		}
		if diff := cmp.Diff(want, got, cmpSorted()); diff != "" {
			t.Errorf("found (-want +got):\n%s", diff)
		}
	})
}

func TestFindArticlesSinceTimeAndInState(t *testing.T) {
	all := func(*feed.Article) bool { return true }
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, _ *storetest.Redigo) {
		save(t, s, "old", "v1")
		now.Advance(time.Hour)
		since := now.Time
		var recent, out []string
		for i := range 25 {
			guid := fmt.Sprint("g", i)
			uuid := save(t, s, guid, "v1")
			recent = append(recent, guid)
			if i%3 == 0 {
				publish(t, s, uuid, "production")
				out = append(out, guid)
			}
			if i%7 == 6 {
				now.Advance(time.Second)
			}
		}
		for name, tt := range map[string]struct {
			q    feed.ArticleQuery
			want []string
		}{
			"since":      {feed.ArticleQuery{Since: since}, recent},
			"in a state": {feed.ArticleQuery{Type: "production", State: feed.StatePublished, Since: now.Time.Add(time.Hour)}, out},
		} {
			var got []string
			q := tt.q
			for q.Limit, q.Look = 4, 4; ; {
				page, err := s.FindArticles(t.Context(), q, types, all)
				if err != nil || len(page.Articles) == 0 || len(got) > 25 {
					t.Fatalf("%s: after %d came %+v, %v", name, len(got), page, err)
				}
				for _, a := range page.Articles {
					got = append(got, a.GUID)
				}
				if q.From = page.Next; q.From.IsZero() {
					break
				}
			}
			if diff := cmp.Diff(tt.want, got, cmpSorted()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}
