package article_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestArticleIsImportedAtFourthImpression(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, raw *storetest.Redigo) {
		uuid := save(t, s, "g1", "v1")
		if got := placement(t, s, uuid, "production"); got.State != feed.StateUnpublished {
			t.Errorf("before publication: %s", got.State)
		}
		tr := publish(t, s, uuid, "production")
		if want := (feed.Transition{From: feed.StateUnpublished, To: feed.StatePublished, Revision: 1, Changed: true}); tr != want {
			t.Errorf("publish: got %+v, want %+v", tr, want)
		}
		start := now.Time
		shown := func() (all []feed.Impression) {
			articles, _, err := s.PublishedArticles(t.Context(), "production", start, feed.ImportAfter, 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range articles {
				all = append(all, feed.Impression{UUID: a.UUID, Revision: a.Feeds["production"].Revision})
			}
			return all
		}
		for fetch := 1; fetch <= 4; fetch++ {
			items := shown()
			if len(items) != 1 {
				t.Fatalf("fetch %d has %d articles", fetch, len(items))
			}
			now.Advance(time.Minute)
			if got := record(t, s, fmt.Sprint(fetch), items...); got.Counted != 1 || len(got.Promoted) != fetch/4 {
				t.Errorf("fetch %d: %+v", fetch, got)
			}
		}
		if len(shown()) != 0 {
			t.Error("the fifth fetch still has the article")
		}
		p := placement(t, s, uuid, "production")
		if p.State != feed.StateImported || !p.Imported.Equal(now.Time) || len(p.Impressions) != 4 || !p.Impressions[0].Equal(now.Time) {
			t.Errorf("after four fetches: %+v", p)
		}
		hash := raw.StringMap("HGETALL", "article:"+uuid)
		if hash["date_imported_production"] == "" || hash["date_published_production"] == "" {
			t.Errorf("the hash has no dates: %v", hash)
		}
		if p := placement(t, s, uuid, "development"); p.State != feed.StateUnpublished {
			t.Errorf("in development: %s", p.State)
		}
		if got := record(t, s, "5", feed.Impression{UUID: uuid, Revision: 1}); got.Ignored != 1 {
			t.Errorf("a late fetch: %+v", got)
		}
	})
}

func TestRepeatedFetchCountsOnce(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		uuid := save(t, s, "g1", "v1")
		publish(t, s, uuid, "production")
		for i := range 6 {
			if got := record(t, s, "same", feed.Impression{UUID: uuid, Revision: 1}); got.Counted != 1 || got.Known != min(i, 1) {
				t.Errorf("call %d: %+v", i, got)
			}
		}
		if p := placement(t, s, uuid, "production"); p.State != feed.StatePublished || len(p.Impressions) != 1 {
			t.Errorf("got %+v", p)
		}
	})
}

func TestFetchesRecordedTogetherCountOnceEach(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		fast, slow := save(t, s, "fast", "v1"), save(t, s, "slow", "v1")
		publish(t, s, fast, "production")
		publish(t, s, slow, "production")
		publish(t, s, slow, "standing")
		both := []feed.Impression{{UUID: fast, Revision: 1}, {UUID: slow, Revision: 1}}
		for i, step := range []struct {
			shown []feed.Impression
			all   []feed.Fetch
			want  string // known, counted, ignored, promoted
		}{
			{both[:1], []feed.Fetch{{ID: "a", Times: 1}, {ID: "b", Times: 1}}, "0 2 0 0"},
			{both, []feed.Fetch{{ID: "b", Times: 1}, {ID: "c", Times: 3}}, "1 5 1 1"}, // b is known, and a has the result of both; fast has room for two
			{both, []feed.Fetch{{ID: "b", Times: 1}, {ID: "c", Times: 3}}, "4 5 1 1"},
			{both, []feed.Fetch{{ID: "c", Times: 3}}, "3 5 1 1"},
			{both, []feed.Fetch{{ID: "a", Times: 1}, {ID: "c", Times: 3}, {ID: "late", Times: 1}}, "4 8 2 2"}, // 2 of a, 5 of c, and the last one of slow
		} {
			got := recordAll(t, s, "production", 4, feed.Fetches{Shown: step.shown, All: step.all})
			if counts := fmt.Sprint(got.Known, got.Counted, got.Ignored, len(got.Promoted)); counts != step.want {
				t.Errorf("step %d: got %s, want %s", i, counts, step.want)
			}
		}
		if n := len(placement(t, s, fast, "production").Impressions); n != 4 {
			t.Errorf("the imported article has %d impressions", n)
		}
		many := feed.Fetches{Shown: both, All: []feed.Fetch{{ID: "d", Times: 500}}}
		if got := recordAll(t, s, "standing", 0, many); got.Counted != 500 || got.Ignored != 500 {
			t.Errorf("500 fetches without a limit: %+v", got)
		}
		if n := raw.Int("LLEN", "article:"+slow+":impressions:standing"); n != 100 {
			t.Errorf("without a limit %d impressions are stored, want the newest 100", n)
		}
	})
}

func TestDamagedListLeavesOtherArticlesAlone(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		good, bad := save(t, s, "good", "v1"), save(t, s, "bad", "v1")
		publish(t, s, good, "production")
		publish(t, s, bad, "production")
		list := "article:" + bad + ":impressions:production"
		raw.Do("SET", list, "x")
		defer raw.Do("DEL", list)
		for range 2 {
			got := record(t, s, "one", feed.Impression{UUID: bad, Revision: 1}, feed.Impression{UUID: good, Revision: 1})
			if got.Counted != 1 || got.Ignored != 1 {
				t.Errorf("got %+v", got)
			}
		}
		if p := placement(t, s, good, "production"); len(p.Impressions) != 1 {
			t.Errorf("the other article: %+v", p)
		}
	})
}

func TestConcurrentFetchesImportEachArticleOnce(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, _ *storetest.Redigo) {
		const articles = 50
		for i := range articles {
			publish(t, s, save(t, s, fmt.Sprint("g", i), "v1"), "production")
		}
		since := now.Time.Add(-time.Hour)
		var fetches, promoted atomic.Int64
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for {
					items, _, err := s.PublishedArticles(t.Context(), "production", since, feed.ImportAfter, 0, 100)
					if err != nil {
						t.Error(err)
					}
					if len(items) == 0 || t.Failed() {
						return
					}
					fetch := feed.Fetches{All: []feed.Fetch{{ID: fmt.Sprint(fetches.Add(1)), Times: 1}}}
					for _, a := range items {
						fetch.Shown = append(fetch.Shown, feed.Impression{UUID: a.UUID, Revision: a.Feeds["production"].Revision})
					}
					got, err := s.RecordImpressions(t.Context(), "production", fetch, feed.ImportAfter)
					if err != nil {
						t.Error(err)
					}
					promoted.Add(int64(len(got.Promoted)))
				}
			})
		}
		wg.Wait()
		if promoted.Load() != articles {
			t.Errorf("%d imports of %d articles", promoted.Load(), articles)
		}
	})
}
