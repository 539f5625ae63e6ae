package article_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// saveDated saves an article that its source dates.
func saveDated(t *testing.T, s *article.Store, guid string, published time.Time) string {
	t.Helper()
	uuid := feed.ArticleUUID(harbour, guid)
	_, err := s.SaveArticle(t.Context(), feed.Article{UUID: uuid, FeedURL: harbour, GUID: guid, Title: guid, Digest: "v1", Published: published})
	if err != nil {
		t.Fatal(err)
	}
	return uuid
}

// guids returns the articles that a query finds.
func guids(t *testing.T, s *article.Store, q feed.ArticleQuery) (all []string) {
	t.Helper()
	q.Limit, q.Look = 10, 10
	page, err := s.FindArticles(t.Context(), q, types, func(*feed.Article) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	for i := range page.Articles {
		all = append(all, page.Articles[i].GUID)
	}
	return all
}

// inInbox compares the inbox with what it should hold, and its size.
func inInbox(t *testing.T, s *article.Store, when string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, guids(t, s, feed.ArticleQuery{Inbox: true})); diff != "" {
		t.Errorf("the inbox %s (-want +got):\n%s", when, diff)
	}
	if n, err := s.InboxSize(t.Context()); n != len(want) || err != nil {
		t.Errorf("%s the inbox has the size %d, %v", when, n, err)
	}
}

func dismiss(t *testing.T, s *article.Store, id, uuid string, restore bool) feed.DecisionResult {
	t.Helper()
	done, err := s.Dismiss(t.Context(), id, []string{uuid}, restore)
	if err != nil || len(done) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	return done[0]
}

func TestInboxHoldsWhatNobodyDecidedAbout(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, raw *storetest.Redigo) {
		day := now.Time.Add(-24 * time.Hour)
		old, late := saveDated(t, s, "old", day), saveDated(t, s, "late", day.Add(time.Hour))
		now.Advance(time.Second)
		saveDated(t, s, "undated", time.Time{})
		now.Advance(time.Second)
		saveDated(t, s, "future", now.Time.AddDate(5, 0, 0))
		inInbox(t, s, "at first", "future", "undated", "late", "old")

		publish(t, s, late, "production")
		inInbox(t, s, "after publishing", "future", "undated", "old")
		done := decide(t, s, "d1", old, true, feed.SeenState{})
		decideIn(t, s, "d2", feed.Decision{UUID: old, Type: "development", Publish: true})
		undo(t, s, "d2")
		inInbox(t, s, "with an article in one of two feeds", "future", "undated")
		if undone := undo(t, s, "d1"); done.Err != nil || undone.Err != nil {
			t.Fatalf("%+v, %+v", done, undone)
		}
		inInbox(t, s, "after undoing", "future", "undated", "old")

		save(t, s, "old", "v2") // dated by save
		inInbox(t, s, "after an edit with a newer date", "future", "undated", "old")
		raw.Check(types, 4)
		if err := s.RemoveArticle(t.Context(), old); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Hour)
		if n, err := s.ForgetArticles(t.Context(), types, now.Time); n != 2 || err != nil {
			t.Fatalf("deleted %d, %v", n, err)
		}
		inInbox(t, s, "after all were deleted")
	})
}

func TestDismissedArticleComesBackByUndoOnly(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, raw *storetest.Redigo) {
		uuid := save(t, s, "g1", "v1")
		first := dismiss(t, s, "x1", uuid, false)
		if tr := first.Transition; first.Err != nil || !tr.Changed || tr.To != feed.StateDismissed {
			t.Fatalf("%+v", first)
		}
		if again := dismiss(t, s, "x1", uuid, false); !again.Transition.Repeated || again.Transition.To != feed.StateDismissed {
			t.Errorf("the repeated request returned %+v", again)
		}
		inInbox(t, s, "after dismissing")
		save(t, s, "g1", "v2")
		inInbox(t, s, "after an edit of a dismissed article")
		if tr := autoPublish(t, s, uuid, "v2", true); tr.Changed {
			t.Errorf("a rule published a dismissed article: %+v", tr)
		}
		if got := guids(t, s, feed.ArticleQuery{State: feed.StateDismissed}); !slices.Equal(got, []string{"g1"}) {
			t.Errorf("dismissed are %v", got)
		}
		if a, err := s.Article(t.Context(), uuid, types); a.Dismissed.IsZero() || err != nil {
			t.Errorf("%+v, %v", a, err)
		}
		for range 2 { // the second call is a repetition
			if back := undo(t, s, "x1"); back.Err != nil || back.Transition.From != feed.StateDismissed || back.Transition.To != feed.StateUnpublished {
				t.Errorf("undo: %+v", back)
			}
		}
		inInbox(t, s, "after undoing", "g1")

		dismiss(t, s, "x2", uuid, false)
		decide(t, s, "d1", uuid, true, feed.SeenState{})
		if late := undo(t, s, "x2"); !errors.Is(late.Err, feed.ErrChanged) || late.Now.State != feed.StatePublished {
			t.Errorf("undo after the article was published: %+v", late)
		}
		if refused := dismiss(t, s, "x3", uuid, false); !errors.Is(refused.Err, feed.ErrConflict) || refused.Now.State != feed.StatePublished {
			t.Errorf("dismiss a published article: %+v", refused)
		}
		undo(t, s, "d1") // to dismissed
		inInbox(t, s, "after undoing the publication of a dismissed article")
		raw.Check(types, 4)
		dismiss(t, s, "x4", uuid, true)
		inInbox(t, s, "after restoring", "g1")
		if back := undo(t, s, "x4"); back.Transition.To != feed.StateDismissed {
			t.Errorf("undo of a restoration: %+v", back)
		}
		if missing := dismiss(t, s, "x5", feed.ArticleUUID(harbour, "none"), false); !errors.Is(missing.Err, feed.ErrNotFound) {
			t.Errorf("dismiss what does not exist: %+v", missing)
		}
		raw.Check(types, 4)
	})
}

func TestArticlesHaveNeighboursInTheInbox(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, _ *storetest.Redigo) {
		uuids := map[string]string{"": ""}
		for i, guid := range []string{"a", "b", "c"} {
			uuids[guid] = saveDated(t, s, guid, now.Time.Add(-time.Duration(i+1)*time.Hour))
		}
		expect := func(guid, before, after string) {
			t.Helper()
			a, err := s.Article(t.Context(), uuids[guid], types)
			if err != nil {
				t.Fatal(err)
			}
			b, c, err := s.Neighbours(t.Context(), &a, true)
			if b != uuids[before] || c != uuids[after] || err != nil {
				t.Errorf("%s is between %s and %s, %v; want %q and %q", guid, b, c, err, before, after)
			}
		}
		expect("a", "", "b")
		expect("b", "a", "c")
		expect("c", "b", "")
		dismiss(t, s, "x", uuids["b"], false)
		expect("b", "a", "c")
		expect("a", "", "c")
	})
}

func TestCheckFillsTheInboxOfLayout4(t *testing.T) {
	storetest.Each(t, func(t *testing.T, opts core.Options, _ *storetest.Clock, raw *storetest.Redigo) {
		open := func() *article.Store {
			if err := storetest.New(t, opts).Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			return article.New(storetest.DB(t, opts))
		}
		s := open()
		for _, guid := range []string{"waits", "published", "withdrawn", "dismissed"} {
			save(t, s, guid, "v1")
		}
		publish(t, s, feed.ArticleUUID(harbour, "published"), "production")
		publish(t, s, feed.ArticleUUID(harbour, "withdrawn"), "production")
		withdraw(t, s, feed.ArticleUUID(harbour, "withdrawn"), "production")
		raw.Do("DEL", "inbox")
		raw.Do("SET", "schema", 4)
		dismiss(t, s, "x", feed.ArticleUUID(harbour, "dismissed"), false) // by a newer daemon, before it was killed in the upgrade
		inInbox(t, open(), "of an upgraded store", "waits")
	})
}
