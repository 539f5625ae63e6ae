package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// decide publishes or takes back one article as it is.
func decide(t *testing.T, s *store.Store, id, uuid string, publish bool, seen feed.Sighting) feed.Decided {
	t.Helper()
	done, err := s.Decide(t.Context(), id, []feed.Decision{{UUID: uuid, Type: "production", Publish: publish, Seen: seen}})
	if err != nil || len(done) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	return done[0]
}

func undo(t *testing.T, s *store.Store, id string) feed.Decided {
	t.Helper()
	done, err := s.Undo(t.Context(), id)
	if err != nil || len(done) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	return done[0]
}

func TestUndoBringsBackWhatWas(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		uuid := article(t, s, "g1", "v1")
		for _, before := range []struct {
			name string
			make func() error
		}{
			{"known", func() error { return nil }},
			{"published and seen", func() error {
				if _, err := s.Publish(t.Context(), uuid, "production", ""); err != nil {
					return err
				}
				_, err := s.RecordImpressions(t.Context(), "production", oneFetch("f1", []feed.Impression{{UUID: uuid, Revision: 2}}), 4)
				return err
			}},
			{"taken back", func() error { _, err := s.TakeBack(t.Context(), uuid, "production", ""); return err }},
		} {
			if err := before.make(); err != nil {
				t.Fatal(err)
			}
			want := placement(t, s, uuid, "production")
			now.now = now.now.Add(time.Minute)
			did := decide(t, s, "undo "+before.name, uuid, true, feed.Sighting{State: want.State, Revision: want.Revision})
			if did.Err != nil || !did.Transition.Changed {
				t.Fatalf("%s: %+v", before.name, did)
			}
			for range 2 { // the second one answers as the first
				if back := undo(t, s, "undo "+before.name); back.Err != nil || back.Transition.To != want.State {
					t.Errorf("%s: undone: %+v", before.name, back)
				}
			}
			got := placement(t, s, uuid, "production")
			if got.Revision != did.Transition.Revision {
				t.Errorf("%s: revision %d, want that of the undone one, %d", before.name, got.Revision, did.Transition.Revision)
			}
			got.Revision = want.Revision
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-before +undone):\n%s", before.name, diff)
			}
		}
		if _, err := s.Undo(t.Context(), "nothing"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("undoing nothing gave %v", err)
		}
	})
}

func TestUndoLeavesAloneWhatOthersChanged(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		uuid := article(t, s, "g1", "v1")
		decide(t, s, "a", uuid, true, feed.Sighting{})
		if _, err := s.TakeBack(t.Context(), uuid, "production", ""); err != nil {
			t.Fatal(err)
		}
		back := undo(t, s, "a")
		if !errors.Is(back.Err, feed.ErrChanged) || back.Now != (feed.Sighting{State: feed.StateTakenBack, Revision: 1}) {
			t.Errorf("got %+v", back)
		}
		if p := placement(t, s, uuid, "production"); p.State != feed.StateTakenBack {
			t.Errorf("it is %s", p.State)
		}
	})
}

func TestDecideOnlyAboutWhatWasSeen(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		uuid := article(t, s, "g1", "v1")
		seen := feed.Sighting{State: feed.StateKnown}
		if did := decide(t, s, "ann", uuid, true, seen); did.Err != nil {
			t.Fatal(did.Err)
		}
		did := decide(t, s, "ben", uuid, true, seen)
		if !errors.Is(did.Err, feed.ErrChanged) || did.Now != (feed.Sighting{State: feed.StatePublished, Revision: 1}) {
			t.Errorf("the second one got %+v", did)
		}
		if again := decide(t, s, "ann", uuid, true, seen); again.Err != nil || !again.Transition.Repeated {
			t.Errorf("the first one again got %+v", again)
		}
		if did := decide(t, s, "x", feed.ArticleUUID(harbour, "none"), true, seen); !errors.Is(did.Err, feed.ErrNotFound) {
			t.Errorf("an unknown one got %+v", did)
		}
	})
}

func TestFindArticlesPagesThroughAllAndNoneTwice(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		var want []string
		for i := range 25 {
			if i%10 == 0 { // many share a time
				now.now = now.now.Add(time.Second)
			}
			title := fmt.Sprintf("T%02d", i)
			article(t, s, title, title)
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

// A page ends with the cursor of the next one, also among articles of one moment, and with what is older than asked for.
func TestFindArticlesSinceAndInAState(t *testing.T) {
	all := func(*feed.Article) bool { return true }
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		article(t, s, "old", "v1")
		now.Advance(time.Hour)
		since := now.now
		var recent, out []string
		for i := range 25 {
			guid := fmt.Sprint("g", i)
			uuid := article(t, s, guid, "v1")
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
			"in a state": {feed.ArticleQuery{Type: "production", State: feed.StatePublished, Since: now.now.Add(time.Hour)}, out},
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

func TestArticleViewTellsVersionsAndDeeds(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		uuid := ""
		for i := range feed.VersionsKept + 2 {
			uuid = article(t, s, "g1", fmt.Sprint("v", i))
			now.now = now.now.Add(time.Minute)
		}
		e := feed.AuditEntry{Time: now.now, Who: "ann", Action: "article_publish", On: uuid + " in production", Before: "known", After: "published"}
		other := feed.AuditEntry{Time: now.now, Who: "ben", Action: "user_add", On: uuid}
		if err := s.AddAudit(t.Context(), e, other); err != nil {
			t.Fatal(err)
		}
		if err := s.AddVisits(t.Context(), "production", []feed.Visit{{Time: now.now, Client: "facebook", Status: 200, Counted: true}}); err != nil {
			t.Fatal(err)
		}
		view, err := s.ArticleView(t.Context(), uuid, []string{"production", "development"}, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(view.Versions) != feed.VersionsKept || view.Versions[0].Digest != "v6" || view.Versions[4].Digest != "v2" {
			t.Errorf("versions %+v", view.Versions)
		}
		if v := view.Versions[0]; v.Content != view.Article.Content || v.Digest != view.Article.Digest || v.Time.IsZero() {
			t.Errorf("the newest version is %+v, the article %+v", v, view.Article)
		}
		if len(view.Deeds) != 1 || view.Deeds[0].Who != "ann" || len(view.Visits["production"]) != 1 {
			t.Errorf("deeds %+v, visits %+v", view.Deeds, view.Visits)
		}
		if _, err := s.ArticleView(t.Context(), feed.ArticleUUID(harbour, "none"), nil, 1); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("no article: %v", err)
		}
		now.now = now.now.Add(48 * time.Hour)
		if n, err := s.ForgetArticles(t.Context(), []string{"production"}, now.now.Add(-time.Hour)); n != 1 || err != nil {
			t.Fatalf("forgot %d, %v", n, err)
		}
		if left := raw.Keys("article*"); len(left) != 0 {
			t.Errorf("keys left: %v", left)
		}
	})
}
