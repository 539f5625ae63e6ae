package entry_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestContentsByIDReadCurrentEntriesAndThoseThatUsersSaved(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		ok := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		var all []feed.Entry
		var ids []string
		for i, guid := range []string{"expired", "saved", "taken down", "edited"} {
			e := entry(guid, guid, now.Time.Add(time.Duration(i)*time.Minute))
			e.Content = "<p>" + guid + "</p>"
			ok(s.Entries.SaveEntry(t.Context(), &e))
			all, ids = append(all, e), append(ids, e.ID)
		}
		contents := func() map[string]string {
			t.Helper()
			found, err := s.Entries.ContentsByID(t.Context(), append([]string{"Entry:123456", "x"}, ids...))
			ok(err)
			got := make(map[string]string)
			for id, e := range found {
				if e.ID != id || e.FeedURL != harbour || e.Expired != (e.GUID == "saved" && len(found) < 4) {
					t.Errorf("%s is %+v", id, e)
				}
				got[e.GUID] = e.Content
			}
			return got
		}
		if got := contents(); len(got) != 4 || got["taken down"] != "<p>taken down</p>" {
			t.Errorf("at first: %v", got)
		}
		ok(s.Entries.SaveFor(t.Context(), feed.EntryRef{FeedURL: harbour, ID: ids[1]}, 7))
		_, err := s.Entries.ExpireEntries(t.Context(), harbour, 2)
		ok(err)
		ok(s.Entries.DeleteEntry(t.Context(), ids[2]))
		all[3].Content = "<p>new</p>"
		ok(s.Entries.SaveEntry(t.Context(), &all[3]))
		if got := contents(); len(got) != 2 || got["saved"] != "<p>saved</p>" || got["edited"] != "<p>new</p>" {
			t.Errorf("later: %v", got)
		}
	})
}
