package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestListIsSignalledOncePerChange(t *testing.T) {
	each(t, func(t *testing.T, raw *store.Store, now *clock, _ *storetest.Redigo) {
		s := listed{raw, t}
		_, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour})
		s.ok(err)
		a, b := s.ranks(harbour, "a", now.Time), s.ranks(harbour, "b", now.Time.Add(-time.Minute))
		vote := func(e *feed.Entry, user int64) {
			t.Helper()
			_, err := s.Rankings.Vote(t.Context(), e, user, feed.VoteUp)
			s.ok(err)
		}
		compared := func(what, want string) {
			t.Helper()
			last, err := s.Signals.LastSignal(t.Context())
			s.ok(err)
			made, err := s.SignalLists(t.Context(), func(list string) string { return "https://wire.example/lists/" + list + ".rss" })
			s.ok(err)
			all, err := s.Signals.Signals(t.Context(), last, 100, 0)
			s.ok(err)
			var lists []string
			for _, one := range all {
				if one.Kind != feed.ListModified || one.FeedURL != "https://wire.example/lists/"+one.List+".rss" || one.Digest == "" || !one.Time.Equal(now.Time) {
					t.Errorf("after %s it signals %+v", what, one)
				}
				lists = append(lists, one.List)
			}
			if got := strings.Join(lists, " "); got != want || made != len(all) {
				t.Errorf("after %s it signals %q (%d), want %q", what, got, made, want)
			}
			now.Advance(time.Minute)
		}
		compared("the start", "")
		compared("nothing", "")
		vote(&a, 1)
		compared("a vote that changes no order", "")
		vote(&b, 1)
		vote(&b, 2)
		compared("votes that change the order", "score")
		for name, title := range map[string]string{"front": "Front", "empty": "Empty"} {
			_, err = s.Rankings.SaveList(t.Context(), feed.EntryList{Name: name, Title: title})
			s.ok(err)
		}
		_, err = s.Rankings.PlaceInList(t.Context(), "front", &b, feed.ListTarget{}, "")
		s.ok(err)
		compared("new lists", "empty front")
		_, err = s.Rankings.PlaceInList(t.Context(), "front", &a, feed.ListTarget{Position: 1}, "")
		s.ok(err)
		s.ok(s.Rankings.DeleteList(t.Context(), "empty", ""))
		now.Advance(-time.Minute)
		compared("a change a moment after the last comparison", "")
		compared("an arranged entry and a removed list", "front")
		_, err = s.Rankings.SaveList(t.Context(), feed.EntryList{Name: "empty", Title: "Empty"})
		s.ok(err)
		compared("a list that was removed and exists again", "empty")
		a.Title = "edited"
		s.ok(s.Entries.SaveEntry(t.Context(), &a))
		compared("an edit", "time score front")
	})
}
