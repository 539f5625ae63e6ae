package store_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestEntriesOfChosenSourcesAreOffered(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		ok := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		threads := func(want map[string]string) {
			t.Helper()
			ok(s.OfferEntries(t.Context()))
			found, err := s.Entries.Entries(t.Context(), harbour, 10)
			ok(err)
			sizes, err := s.Threads(t.Context(), harbour, found)
			ok(err)
			got := make(map[string]string)
			for i := range found {
				if size, open := sizes[found[i].ID]; open {
					got[found[i].GUID] = size
				}
			}
			if len(got) != len(want) || got["g1"] != want["g1"] || got["g2"] != want["g2"] {
				t.Errorf("threads are %v, want %v", got, want)
			}
		}
		_, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour})
		ok(err)
		old, e := entry("g2", "Old", now.Time.Add(-feed.VoteWindow-time.Hour)), entry("g1", "One", now.Time)
		old.Link, e.Link = "https://harbour.example/2", "https://harbour.example/1"
		ok(s.Entries.SaveEntry(t.Context(), &old))
		ok(s.Entries.SaveEntry(t.Context(), &e))
		threads(nil)
		s.Reload(store.Options{Discussed: []string{harbour, "https://nothing.example/feed"}})
		threads(map[string]string{"g1": "0"})
		version, err := s.SourceVersion(t.Context(), feed.SourceID(harbour), 10)
		ok(err)
		n, err := strconv.ParseInt(e.Number(), 10, 64)
		ok(err)
		_, err = s.Community.AddComment(t.Context(), n, follower(t, s, "ann"), feed.NoParent, "First")
		ok(err)
		threads(map[string]string{"g1": "1"})
		after, err := s.SourceVersion(t.Context(), feed.SourceID(harbour), 10)
		ok(err)
		stored, err := s.Entries.Entry(t.Context(), e.ID)
		ok(err)
		if version == after || stored.Digest() != e.Digest() || !stored.Updated.Equal(e.Updated) {
			t.Errorf("with a comment the version is %s, was %s; the entry is %+v", after, version, stored)
		}
		raw.Of(harbour).Do("HSET", harbour+":meta", "username", "ann") // private entries are not offered
		now.Advance(time.Minute)
		private := entry("g3", "Three", now.Time)
		private.Link = "https://harbour.example/3"
		ok(s.Entries.SaveEntry(t.Context(), &private))
		threads(map[string]string{"g1": "1"})
		s.Reload(store.Options{})
		threads(nil)
		ok(s.Community.DeleteNews(t.Context(), n, follower(t, s, "root"), true)) // by an admin
		ok(s.SweepNews(t.Context()))
		if left := raw.Keys("news:*"); len(left) != 1 {
			t.Errorf("while the entry exists there is %v", left)
		}
		_, err = s.Entries.TakeDownEntry(t.Context(), e.ID)
		ok(err)
		ok(s.SweepNews(t.Context()))
		for _, pattern := range []string{"news:*", "news.*", "thread:*"} {
			if left := raw.Keys(pattern); len(left) != 0 {
				t.Errorf("%v is left", left)
			}
		}
	})
}
