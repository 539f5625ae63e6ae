package store_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func cmpSorted() cmp.Option { return cmpopts.SortSlices(func(a, b string) bool { return a < b }) }

var types = []string{"production", "development"}

// article saves an article of this guid and content and returns its uuid.
func article(t *testing.T, s *store.Store, guid, digest string) string {
	t.Helper()
	uuid := feed.ArticleUUID(harbour, guid)
	_, err := s.SaveArticle(t.Context(), feed.Article{
		UUID: uuid, FeedURL: harbour, GUID: guid, Entry: "Entry:1", Title: "Title of " + guid, Canonical: "http://x/" + guid,
		Authors: []string{"Ada"}, Content: "<p>" + digest + "</p>", Digest: digest, Published: newClock().now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return uuid
}

func publish(t *testing.T, s *store.Store, uuid, typ string) feed.Transition {
	t.Helper()
	tr, err := s.Publish(t.Context(), uuid, typ, "")
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func placement(t *testing.T, s *store.Store, uuid, typ string) feed.Placement {
	t.Helper()
	a, err := s.Article(t.Context(), uuid, types)
	if err != nil {
		t.Fatal(err)
	}
	return a.Feeds[typ]
}

// shown are the articles in the feed as impressions.
func shown(t *testing.T, s *store.Store, typ string, since time.Time) (all []feed.Impression) {
	t.Helper()
	articles, _, err := s.PublishedArticles(t.Context(), typ, since, feed.ImportAfter, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range articles {
		all = append(all, feed.Impression{UUID: a.UUID, Revision: a.Feeds[typ].Revision})
	}
	return all
}

func TestFourthImpressionImports(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		uuid := article(t, s, "g1", "v1")
		if got := placement(t, s, uuid, "production"); got.State != feed.StateKnown {
			t.Errorf("before publication it is %s", got.State)
		}
		tr := publish(t, s, uuid, "production")
		if want := (feed.Transition{From: feed.StateKnown, To: feed.StatePublished, Revision: 1, Changed: true}); tr != want {
			t.Errorf("publishing gave %+v", tr)
		}
		start := now.now
		for fetch := 1; fetch <= 4; fetch++ {
			items := shown(t, s, "production", start)
			if len(items) != 1 {
				t.Fatalf("fetch %d holds %d articles", fetch, len(items))
			}
			now.Advance(time.Minute)
			got, err := s.RecordImpressions(t.Context(), "production", feed.OneFetch(fmt.Sprint(fetch), items), feed.ImportAfter)
			if err != nil || got.Counted != 1 || len(got.Promoted) != fetch/4 {
				t.Errorf("fetch %d: %+v, %v", fetch, got, err)
			}
		}
		if items := shown(t, s, "production", start); len(items) != 0 {
			t.Error("the fifth fetch still holds the article")
		}
		p := placement(t, s, uuid, "production")
		if p.State != feed.StateImported || !p.Imported.Equal(now.now) || len(p.Impressions) != 4 || !p.Impressions[0].Equal(now.now) {
			t.Errorf("in the end it is %+v", p)
		}
		hash := raw.StringMap("HGETALL", "article:"+uuid)
		if hash["date_imported_production"] == "" || hash["date_published_production"] == "" {
			t.Errorf("the hash lacks the seed's dates: %v", hash)
		}
		if p := placement(t, s, uuid, "development"); p.State != feed.StateKnown {
			t.Errorf("development says %s", p.State)
		}
		if got, err := s.RecordImpressions(t.Context(), "production", feed.OneFetch("5", []feed.Impression{{UUID: uuid, Revision: 1}}), 4); err != nil || got.Ignored != 1 {
			t.Errorf("a late fetch: %+v, %v", got, err)
		}
	})
}

func TestARepeatedFetchCountsOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		uuid := article(t, s, "g1", "v1")
		publish(t, s, uuid, "production")
		items := []feed.Impression{{UUID: uuid, Revision: 1}}
		for i := range 6 {
			got, err := s.RecordImpressions(t.Context(), "production", feed.OneFetch("same", items), feed.ImportAfter)
			if err != nil || got.Counted != 1 || got.Known != min(i, 1) {
				t.Errorf("time %d: %+v, %v", i, got, err)
			}
		}
		if p := placement(t, s, uuid, "production"); p.State != feed.StatePublished || len(p.Impressions) != 1 {
			t.Errorf("it is %+v", p)
		}
	})
}

func TestFetchesAreRecordedTogetherEachOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, raw *storetest.Redigo) {
		fast, slow := article(t, s, "fast", "v1"), article(t, s, "slow", "v1")
		publish(t, s, fast, "production")
		publish(t, s, slow, "production")
		publish(t, s, slow, "standing")
		both := []feed.Impression{{UUID: fast, Revision: 1}, {UUID: slow, Revision: 1}}
		for i, step := range []struct {
			shown  []feed.Impression
			all    []feed.Fetch
			limit  int
			counts string // known, counted, ignored, promoted
		}{
			{both[:1], []feed.Fetch{{ID: "a", Times: 1}, {ID: "b", Times: 1}}, 4, "0 2 0 0"},
			{both, []feed.Fetch{{ID: "b", Times: 1}, {ID: "c", Times: 3}}, 4, "1 5 1 1"}, // b is known, and a has the answer of both; fast has room for two
			{both, []feed.Fetch{{ID: "b", Times: 1}, {ID: "c", Times: 3}}, 4, "4 5 1 1"},
			{both, []feed.Fetch{{ID: "c", Times: 3}}, 4, "3 5 1 1"},
			{both, []feed.Fetch{{ID: "a", Times: 1}, {ID: "c", Times: 3}, {ID: "late", Times: 1}}, 4, "4 8 2 2"}, // 2 of a, 5 of c, and now the last one of slow
		} {
			got, err := s.RecordImpressions(t.Context(), "production", feed.Fetches{Shown: step.shown, All: step.all}, step.limit)
			counts := fmt.Sprint(got.Known, got.Counted, got.Ignored, len(got.Promoted))
			if err != nil || counts != step.counts {
				t.Errorf("step %d: got %s, %v; want %s", i, counts, err, step.counts)
			}
		}
		if n := len(placement(t, s, fast, "production").Impressions); n != 4 {
			t.Errorf("the promoted article has %d impressions", n)
		}
		many := feed.Fetches{Shown: both, All: []feed.Fetch{{ID: "d", Times: 500}}}
		if got, err := s.RecordImpressions(t.Context(), "standing", many, 0); err != nil || got.Counted != 500 || got.Ignored != 500 {
			t.Errorf("500 fetches without a limit: %+v, %v", got, err)
		}
		if n := raw.Int("LLEN", "article:"+slow+":impressions:standing"); n != 100 {
			t.Errorf("the list that nothing limits has %d impressions, want the newest 100", n)
		}
	})
}

func TestADamagedListHarmsNobodyElse(t *testing.T) {
	engines(t, func(t *testing.T, dial store.DialFunc) {
		s := open(t, store.Options{Dial: dial})
		good, bad := article(t, s, "good", "v1"), article(t, s, "bad", "v1")
		publish(t, s, good, "production")
		publish(t, s, bad, "production")
		commands(t, dial).Do("SET", "article:"+bad+":impressions:production", "x")
		items := []feed.Impression{{UUID: bad, Revision: 1}, {UUID: good, Revision: 1}}
		for range 2 {
			got, err := s.RecordImpressions(t.Context(), "production", feed.OneFetch("one", items), 4)
			if err != nil || got.Counted != 1 || got.Ignored != 1 {
				t.Errorf("got %+v, %v", got, err)
			}
		}
		if p := placement(t, s, good, "production"); len(p.Impressions) != 1 {
			t.Errorf("the good one is %+v", p)
		}
	})
}

func TestRepublishingStartsANewRevision(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		uuid := article(t, s, "g1", "v1")
		publish(t, s, uuid, "production")
		old := []feed.Impression{{UUID: uuid, Revision: 1}}
		for i := range 3 {
			if _, err := s.RecordImpressions(t.Context(), "production", feed.OneFetch(fmt.Sprint(i), old), 4); err != nil {
				t.Fatal(err)
			}
		}
		article(t, s, "g1", "v2")
		tr, err := s.AutoPublish(t.Context(), uuid, "production", "v2", false)
		if err != nil || !tr.Changed || tr.Revision != 2 {
			t.Fatalf("following the edit gave %+v, %v", tr, err)
		}
		if tr, err = s.AutoPublish(t.Context(), uuid, "production", "v2", false); err != nil || tr.Changed {
			t.Errorf("following it twice gave %+v, %v", tr, err)
		}
		got, err := s.RecordImpressions(t.Context(), "production", feed.OneFetch("late", old), 4)
		if err != nil || got.Ignored != 1 || got.Counted != 0 {
			t.Errorf("an impression of the old revision gave %+v, %v", got, err)
		}
		if p := placement(t, s, uuid, "production"); p.State != feed.StatePublished || len(p.Impressions) != 0 || p.Revision != 2 {
			t.Errorf("it is %+v", p)
		}
	})
}

func TestTakeBackAndWhatTheRuleMayDo(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		uuid := article(t, s, "g1", "v1")
		if _, err := s.TakeBack(t.Context(), uuid, "production", ""); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("taking back a known article gave %v", err)
		}
		if tr, err := s.AutoPublish(t.Context(), uuid, "production", "v1", false); err != nil || tr.Changed {
			t.Errorf("following without publication gave %+v, %v", tr, err)
		}
		if tr, err := s.AutoPublish(t.Context(), uuid, "production", "v1", true); err != nil || tr.To != feed.StatePublished {
			t.Errorf("the rule gave %+v, %v", tr, err)
		}
		tr, err := s.TakeBack(t.Context(), uuid, "production", "")
		if err != nil || tr.From != feed.StatePublished || tr.To != feed.StateTakenBack {
			t.Errorf("taking back gave %+v, %v", tr, err)
		}
		article(t, s, "g1", "v2")
		if tr, err := s.AutoPublish(t.Context(), uuid, "production", "v2", true); err != nil || tr.Changed {
			t.Errorf("the rule brought back what an editor took: %+v, %v", tr, err)
		}
		if tr := publish(t, s, uuid, "production"); tr.From != feed.StateTakenBack || tr.Revision != 2 {
			t.Errorf("publishing again gave %+v", tr)
		}
		if _, err := s.Publish(t.Context(), "none", "production", ""); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("publishing an unknown article gave %v", err)
		}
	})
}

func TestAnOvertakenReaderChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		uuid := feed.ArticleUUID(harbour, "g1")
		save := func(digest, signal string) bool {
			t.Helper()
			a := feed.Article{UUID: uuid, FeedURL: harbour, GUID: "g1", Title: "T", Canonical: "http://x/", Digest: digest, Signal: signal}
			saved, err := s.SaveArticle(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			return saved
		}
		if !save("v2", "1000-10") || save("v1", "1000-9") || save("v1", "999-11") {
			t.Error("an earlier signal wrote over a later one")
		}
		publish(t, s, uuid, "production")
		if tr, err := s.AutoPublish(t.Context(), uuid, "production", "v1", true); err != nil || tr.Changed {
			t.Errorf("publishing what is past gave %+v, %v", tr, err)
		}
		if !save("v3", "1001-0") || !save("v4", "") {
			t.Error("a later change was not written")
		}
	})
}

func TestARepeatedRequestIsAnsweredAsBefore(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		uuid := article(t, s, "g1", "v1")
		first, err := s.Publish(t.Context(), uuid, "production", "req")
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Publish(t.Context(), uuid, "production", "req")
		first.Repeated = true
		if err != nil || again != first {
			t.Errorf("got %+v, %v; want %+v", again, err, first)
		}
		if p := placement(t, s, uuid, "production"); p.Revision != 1 {
			t.Errorf("the repeated request made revision %d", p.Revision)
		}
	})
}

func TestWhatAgesOutExpiresAndCanBePublishedAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		uuid := article(t, s, "g1", "v1")
		publish(t, s, uuid, "production")
		before, err := s.FeedVersion(t.Context(), "production")
		if err != nil {
			t.Fatal(err)
		}
		now.Advance(feed.DefaultWindow)
		if got, err := s.ExpireArticles(t.Context(), "production", feed.DefaultWindow); err != nil || len(got) != 0 {
			t.Errorf("at the end of the window: %v, %v", got, err)
		}
		now.Advance(time.Second)
		if got, err := s.ExpireArticles(t.Context(), "production", feed.DefaultWindow); err != nil || !cmp.Equal(got, []string{uuid}) {
			t.Errorf("after the window: %v, %v", got, err)
		}
		if after, err := s.FeedVersion(t.Context(), "production"); err != nil || after == before {
			t.Errorf("version is still %s, %v", after, err)
		}
		if p := placement(t, s, uuid, "production"); p.State != feed.StateExpired {
			t.Errorf("it is %s", p.State)
		}
		if tr := publish(t, s, uuid, "production"); tr.From != feed.StateExpired || tr.To != feed.StatePublished {
			t.Errorf("publishing again gave %+v", tr)
		}
	})
}

func TestConcurrentCrawlersPromoteEachArticleOnceAtFour(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		const articles = 50
		for i := range articles {
			publish(t, s, article(t, s, fmt.Sprint("g", i), "v1"), "production")
		}
		var fetches, promoted atomic.Int64
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for {
					items, _, err := s.PublishedArticles(t.Context(), "production", now.now.Add(-time.Hour), feed.ImportAfter, 0, 100)
					if err != nil {
						t.Error(err)
					}
					if len(items) == 0 || t.Failed() {
						return
					}
					var seen []feed.Impression
					for _, a := range items {
						seen = append(seen, feed.Impression{UUID: a.UUID, Revision: a.Feeds["production"].Revision})
					}
					got, err := s.RecordImpressions(t.Context(), "production", feed.OneFetch(fmt.Sprint(fetches.Add(1)), seen), feed.ImportAfter)
					if err != nil {
						t.Error(err)
					}
					promoted.Add(int64(len(got.Promoted)))
				}
			})
		}
		wg.Wait()
		if promoted.Load() != articles {
			t.Errorf("%d promotions of %d articles", promoted.Load(), articles)
		}
	})
}

func TestRecentArticlesPageByPage(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		want := make(map[string]bool)
		for i := range 25 {
			want[article(t, s, fmt.Sprint("g", i), "v1")] = true
			if i%7 == 6 {
				now.Advance(time.Second)
			}
		}
		var from feed.Cursor
		for pages := 0; ; pages++ {
			got, next, err := s.RecentArticles(t.Context(), now.now.Add(-time.Hour), types, from, 4)
			if err != nil || pages > 10 {
				t.Fatalf("page %d: %v", pages, err)
			}
			for _, a := range got {
				if !want[a.UUID] {
					t.Errorf("article %s came twice", a.UUID)
				}
				delete(want, a.UUID)
			}
			if next.IsZero() {
				break
			}
			from = next
		}
		if len(want) > 0 {
			t.Errorf("%d articles never came", len(want))
		}
	})
}

func TestPlacedArticlesPageByPage(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		want := make(map[string]bool)
		for i := range 9 {
			uuid := article(t, s, fmt.Sprint("g", i), "v1")
			publish(t, s, uuid, "production")
			want[uuid] = true
		}
		var from feed.Cursor
		for range 5 {
			got, next, err := s.PlacedArticles(t.Context(), "production", feed.StatePublished, types, from, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range got {
				delete(want, a.UUID)
			}
			from = next
		}
		if len(want) != 0 || !from.IsZero() {
			t.Errorf("%d articles never came, the cursor is %v", len(want), from)
		}
	})
}

func TestForgetKeepsWhatIsPublished(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		out, idle := article(t, s, "out", "v1"), article(t, s, "idle", "v1")
		publish(t, s, out, "production")
		publish(t, s, idle, "development")
		if _, err := s.TakeBack(t.Context(), idle, "development", ""); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Hour)
		if n, err := s.ForgetArticles(t.Context(), types, now.now); n != 1 || err != nil {
			t.Errorf("forgot %d, %v", n, err)
		}
		for _, key := range raw.Keys("*") {
			if key == "article:"+idle || key == "taken_back_development" {
				t.Errorf("%s is left", key)
			}
		}
		if p := placement(t, s, out, "production"); p.State != feed.StatePublished {
			t.Errorf("the published one is %s", p.State)
		}
	})
}

func TestArticlesKeepWhatCameWithTheEntry(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		want := feed.Article{
			UUID: feed.ArticleUUID(harbour, "g1"), FeedURL: harbour, GUID: "g1", Title: "T", Canonical: "http://x/", Digest: "d",
			Categories: []string{"Ships", "R & D"}, Image: "http://x/a.jpg",
			Enclosures: []feed.Enclosure{{URL: "http://x/a.mp3", Type: "audio/mpeg", Length: 12}, {URL: "http://x/b"}},
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
	})
}

func TestAFeedThatRetiresNothingShowsTheNewest(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		var uuids []string
		for _, guid := range []string{"a", "b", "c"} {
			uuids = append(uuids, article(t, s, guid, "1"))
			publish(t, s, uuids[len(uuids)-1], "production")
			now.Advance(time.Minute)
		}
		for _, tt := range []struct {
			retireAfter int
			want        []string
		}{{0, []string{uuids[2], uuids[1]}}, {4, []string{uuids[0], uuids[1]}}} {
			articles, next, err := s.PublishedArticles(t.Context(), "production", now.now.Add(-time.Hour), tt.retireAfter, 0, 2)
			if err != nil || next != 2 {
				t.Fatalf("got next %d, %v", next, err)
			}
			var got []string
			for _, a := range articles {
				got = append(got, a.UUID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("retire after %d: %s", tt.retireAfter, diff)
			}
		}
	})
}
