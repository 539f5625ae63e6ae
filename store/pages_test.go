package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSourceWithEntriesIsTheSourceAndItsHeadlines(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		doc := feed.Document{Entries: []feed.Entry{entry("a", "A", now.Time), entry("b", "B", now.Time.Add(time.Minute))}}
		if _, err := s.Entries.SaveEntries(t.Context(), c, doc); err != nil {
			t.Fatal(err)
		}
		want, err := s.Sources.Source(t.Context(), c.Source.ID)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time its URL is known
			got, entries, err := s.SourceWithEntries(t.Context(), c.Source.ID, 5)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("another source (-want +got):\n%s", diff)
			}
			if len(entries) != 2 || entries[0].Title != "B" || entries[0].Content != "" {
				t.Errorf("got entries %+v", entries)
			}
		}
		if err := s.Sources.RemoveSource(t.Context(), c.Source.ID, 0); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.SourceWithEntries(t.Context(), c.Source.ID, 5); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("of a removed source: %v", err)
		}
	})
}
