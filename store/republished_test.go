package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSourceVersionChangesWithWhatAFeedOfTheSourceShows(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		id := feed.SourceID(harbour)
		if _, err := s.SourceVersion(t.Context(), id, 3); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("of an unknown source: %v", err)
		}
		if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour}); err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]string)
		look := func(after string, changed bool) {
			t.Helper()
			version, err := s.SourceVersion(t.Context(), id, 3)
			if err != nil {
				t.Fatal(err)
			}
			if before, known := seen[version]; known == changed {
				t.Errorf("after %s the version is %s, as after %q", after, version, before)
			}
			seen[version] = after
		}
		save := func(e feed.Entry) feed.Entry {
			t.Helper()
			if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
				t.Fatal(err)
			}
			return e
		}
		look("adding", true)
		look("nothing", false)
		e := save(entry("g1", "One", now.Time))
		look("an entry", true)
		e.Title = "Two"
		save(e)
		look("a change of it", true)
		e.Published = now.Time.Add(-time.Hour)
		save(e)
		look("another date", true)
		for _, guid := range []string{"g2", "g3", "g4"} {
			now.Advance(time.Hour)
			save(entry(guid, guid, now.Time))
			look("the entry "+guid, true)
		}
		e.Title = "Three"
		save(e)
		look("a change beyond the limit", false)
		for field, value := range map[string]string{"title": "New", "description": "New", "link": "New", "language": "de", "username": "ann", "headers": "{}"} {
			raw.Do("HSET", harbour+":meta", field, value)
			look("another "+field, true)
		}
		raw.Do("HSET", harbour+":meta", "last_poll", "1")
		look("a poll", false)
		if err := s.Sources.RemoveSource(t.Context(), id, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := s.SourceVersion(t.Context(), id, 3); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("of a removed source: %v", err)
		}
	})
}
