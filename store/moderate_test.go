package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// Moderators who decide about a submission at the same time leave it and its entry in the same state.
func TestModeratorsDecideAtTheSameTime(t *testing.T) {
	dial, now := storetest.Redis(t), storetest.NewClock()
	s, raw := open(t, store.Options{Dial: dial, Now: now.Now}), commands(t, dial)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	mine := feed.MemberURL(follower(t, s, "ann"))
	_, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: mine})
	ok(err)
	for n := int64(1); n <= 50; n++ {
		e := feed.Entry{FeedURL: mine, GUID: fmt.Sprint(n), Title: "One", Timestamp: now.Time}
		ok(s.Entries.SaveEntry(t.Context(), &e))
		ok(s.Community.Submit(t.Context(), &e, &feed.Submission{Title: "One", Text: "Two"}, true))
		var all sync.WaitGroup
		for _, state := range []feed.Visibility{feed.Hidden, feed.Visible, feed.Removed, feed.Visible} {
			all.Go(func() {
				if _, err := s.ModerateSubmission(t.Context(), n, state, ""); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		state, hidden := raw.StringMap("HGETALL", fmt.Sprint("news:", n))["state"], raw.Do("HGET", e.ID, "hidden")
		if (state == "") != (hidden == nil) {
			t.Errorf("the state of submission %d is %q, hidden of its entry is %s", n, state, hidden)
		}
	}
}
