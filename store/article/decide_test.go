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

func TestRepeatedRequestReturnsFirstResult(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		uuid := save(t, s, "g1", "v1")
		want := succeeds(t, decide(t, s, "req", uuid, true, feed.SeenState{}))
		want.Repeated = true
		if again := succeeds(t, decide(t, s, "req", uuid, true, feed.SeenState{})); again != want {
			t.Errorf("got %+v, want %+v", again, want)
		}
		if p := placement(t, s, uuid, "production"); p.Revision != 1 {
			t.Errorf("the repeated request made revision %d", p.Revision)
		}
	})
}

func TestUndoRevertsDecision(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, _ *storetest.Redigo) {
		uuid := save(t, s, "g1", "v1")
		for _, before := range []struct {
			name string
			make func()
		}{
			{"unpublished", func() {}},
			{"published with an impression", func() {
				publish(t, s, uuid, "production")
				record(t, s, "f1", feed.Impression{UUID: uuid, Revision: 2})
			}},
			{"withdrawn", func() { withdraw(t, s, uuid, "production") }},
		} {
			before.make()
			want := placement(t, s, uuid, "production")
			now.Advance(time.Minute)
			did := decide(t, s, "undo "+before.name, uuid, true, seen(t, s, uuid))
			if did.Err != nil || !did.Transition.Changed {
				t.Fatalf("%s: %+v", before.name, did)
			}
			for range 2 { // the second call returns the first result
				if back := undo(t, s, "undo "+before.name); back.Err != nil || back.Transition.To != want.State {
					t.Errorf("%s: undo: %+v", before.name, back)
				}
			}
			got := placement(t, s, uuid, "production")
			if got.Revision != did.Transition.Revision {
				t.Errorf("%s: revision %d, want that of the reverted decision, %d", before.name, got.Revision, did.Transition.Revision)
			}
			got.Revision = want.Revision
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-before +after undo):\n%s", before.name, diff)
			}
		}
		if _, err := s.Undo(t.Context(), "nothing"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("nothing to undo: %v", err)
		}
	})
}

func TestUndoLeavesChangedArticleAlone(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		uuid := save(t, s, "g1", "v1")
		decide(t, s, "a", uuid, true, feed.SeenState{})
		withdraw(t, s, uuid, "production")
		back := undo(t, s, "a")
		if !errors.Is(back.Err, feed.ErrChanged) || back.Now != (feed.SeenState{State: feed.StateWithdrawn, Revision: 1}) {
			t.Errorf("got %+v", back)
		}
		if p := placement(t, s, uuid, "production"); p.State != feed.StateWithdrawn {
			t.Errorf("the state is %s", p.State)
		}
	})
}

func TestDecisionRequiresStateAsSeen(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, _ *storetest.Clock, _ *storetest.Redigo) {
		uuid := save(t, s, "g1", "v1")
		first := seen(t, s, uuid)
		if done := decide(t, s, "ann", uuid, true, first); done.Err != nil || done.Transition.Revision != 1 {
			t.Fatalf("got %+v", done)
		}
		if again := decide(t, s, "ann", uuid, true, first); again.Err != nil || !again.Transition.Repeated {
			t.Errorf("the same request again: %+v", again)
		}
		done := decide(t, s, "ben", uuid, true, first)
		if !errors.Is(done.Err, feed.ErrChanged) || done.Now != (feed.SeenState{State: feed.StatePublished, Revision: 1}) {
			t.Errorf("after someone else published it: %+v", done)
		}
		second := seen(t, s, uuid)
		publish(t, s, uuid, "production")
		if done := decide(t, s, "third", uuid, false, second); !errors.Is(done.Err, feed.ErrChanged) {
			t.Errorf("the same state in another revision: %+v", done)
		}
		if done := decide(t, s, "fourth", uuid, false, seen(t, s, uuid)); done.Err != nil || !done.Transition.Changed {
			t.Errorf("got %+v", done)
		}
		if done := decide(t, s, "fifth", feed.ArticleUUID(harbour, "none"), true, first); !errors.Is(done.Err, feed.ErrNotFound) {
			t.Errorf("a missing article: %+v", done)
		}
	})
}
