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

func TestDocumentIsSavedOnceAndSignalledOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		doc := feed.Document{
			About:   feed.About{Title: "Harbour"},
			Entries: []feed.Entry{entry("g1", "One", now.now), entry("g2", "Two", now.now)},
		}
		saved, err := s.SaveEntries(t.Context(), c, doc)
		if want := (feed.Saved{Created: 2}); err != nil || saved != want {
			t.Fatalf("first: %+v, %v; want %+v", saved, err, want)
		}
		saved, err = s.SaveEntries(t.Context(), c, doc)
		if want := (feed.Saved{Unchanged: 2}); err != nil || saved != want {
			t.Errorf("second: %+v, %v; want %+v", saved, err, want)
		}
		doc.Entries[1].Title = "Two, edited"
		doc.Entries[1].Timestamp = now.now.Add(time.Hour)
		saved, err = s.SaveEntries(t.Context(), c, doc)
		if want := (feed.Saved{Modified: 1, Unchanged: 1}); err != nil || saved != want {
			t.Errorf("third: %+v, %v; want %+v", saved, err, want)
		}
		signals, err := s.Signals(t.Context(), "", 10, 0)
		if err != nil || len(signals) != 4 {
			t.Fatalf("%d signals, %v; want feed_created, two post_created, post_modified", len(signals), err)
		}
		last := signals[3]
		if want := map[string]feed.Change{"title": {From: "Two", To: "Two, edited"}}; last.Kind != feed.PostModified || !cmp.Equal(last.Changed, want) {
			t.Errorf("last signal is %s %v", last.Kind, last.Changed)
		}
		if last.Post == nil || last.Post.Title != "Two, edited" || last.GUID != "g2" || last.Digest != doc.Entries[1].Digest() {
			t.Errorf("last signal's post is %+v", last.Post)
		}
	})
}

func TestFeedModifiedOnlyAfterTheFirstDocument(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		save := func(title string) feed.Saved {
			t.Helper()
			saved, err := s.SaveEntries(t.Context(), c, feed.Document{About: feed.About{Title: title}})
			if err != nil {
				t.Fatal(err)
			}
			now.Advance(time.Minute)
			err = s.FinishPoll(t.Context(), c, feed.Polled{State: feed.PollState{LastDocument: now.now, NextPoll: now.now, NextReason: "interval"}})
			if err != nil {
				t.Fatal(err)
			}
			claims, err := s.ClaimSources(t.Context(), 1, time.Minute)
			if err != nil || len(claims) != 1 {
				t.Fatalf("claimed %d, %v", len(claims), err)
			}
			c = claims[0]
			return saved
		}
		if save("Harbour").FeedModified {
			t.Error("the first document modified the feed")
		}
		if save("Harbour").FeedModified {
			t.Error("the same title modified the feed")
		}
		if !save("Harbour News").FeedModified {
			t.Error("another title did not modify the feed")
		}
		signals, err := s.Signals(t.Context(), "", 10, 0)
		if err != nil || len(signals) != 2 || signals[1].Kind != feed.FeedModified {
			t.Fatalf("signals %+v, %v", signals, err)
		}
		if want := map[string]feed.Change{"title": {From: "Harbour", To: "Harbour News"}}; !cmp.Equal(signals[1].Changed, want) {
			t.Errorf("diff is %v", signals[1].Changed)
		}
	})
}

func TestLostLeaseWritesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		first := claim(t, s)
		now.Advance(2 * time.Minute)
		second, err := s.ClaimSources(t.Context(), 1, time.Minute)
		if err != nil || len(second) != 1 {
			t.Fatalf("claimed %d after the lease ended, %v", len(second), err)
		}
		doc := feed.Document{Entries: []feed.Entry{entry("g1", "One", now.now)}}
		if _, err := s.SaveEntries(t.Context(), first, doc); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("saving under the lost lease gave %v", err)
		}
		if err := s.FinishPoll(t.Context(), first, feed.Polled{State: feed.PollState{NextPoll: now.now}}); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("finishing under the lost lease gave %v", err)
		}
		if n := raw.Int("EXISTS", raw.Entry(1), "ids:Entry"); n != 0 {
			t.Error("the lost lease wrote an entry")
		}
		if _, err := s.SaveEntries(t.Context(), second[0], doc); err != nil {
			t.Errorf("saving under the new lease: %v", err)
		}
	})
}

func TestExpiredEntriesDoNotComeBackWhileListed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		doc := feed.Document{Entries: []feed.Entry{entry("old", "Old", now.now.Add(-time.Hour)), entry("new", "New", now.now)}}
		if _, err := s.SaveEntries(t.Context(), c, doc); err != nil {
			t.Fatal(err)
		}
		if n, err := s.ExpireEntries(t.Context(), harbour, 1); n != 1 || err != nil {
			t.Fatalf("expired %d, %v", n, err)
		}
		finish := func(d time.Duration) {
			t.Helper()
			now.Advance(d)
			if err := s.FinishPoll(t.Context(), c, feed.Polled{State: feed.PollState{LastDocument: now.now, NextPoll: now.now, Entries: 1}}); err != nil {
				t.Fatal(err)
			}
			claims, err := s.ClaimSources(t.Context(), 1, time.Minute)
			if err != nil || len(claims) != 1 {
				t.Fatalf("claimed %d, %v", len(claims), err)
			}
			c = claims[0]
		}
		finish(20 * 24 * time.Hour)
		saved, err := s.SaveEntries(t.Context(), c, doc)
		if err != nil || saved.Dead != 1 || saved.Created != 0 {
			t.Errorf("after expiry: %+v, %v", saved, err)
		}
		finish(20 * 24 * time.Hour)
		if _, err := s.ExpireAll(t.Context(), feed.Keep{Entries: 50}); err != nil {
			t.Fatal(err)
		}
		if n := raw.Int("ZCARD", harbour+":dead"); n != 1 {
			t.Error("a tombstone seen 20 days ago was dropped")
		}
		finish(40 * 24 * time.Hour)
		if _, err := s.ExpireAll(t.Context(), feed.Keep{Entries: 50}); err != nil {
			t.Fatal(err)
		}
		if n := raw.Int("ZCARD", harbour+":dead"); n != 0 {
			t.Error("a tombstone not seen for 60 days was kept")
		}
	})
}

func TestExpiryKeepsWhatTheSourceLists(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		var doc feed.Document
		for i := range 60 {
			doc.Entries = append(doc.Entries, entry(fmt.Sprint(i), "T", now.now.Add(time.Duration(i)*time.Second)))
		}
		if _, err := s.SaveEntries(t.Context(), c, doc); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishPoll(t.Context(), c, feed.Polled{State: feed.PollState{LastDocument: now.now, Entries: 60}}); err != nil {
			t.Fatal(err)
		}
		if n, err := s.ExpireAll(t.Context(), feed.Keep{Entries: 50}); n != 0 || err != nil {
			t.Errorf("expired %d, %v", n, err)
		}
		if n := raw.Int("ZCARD", harbour+":sort"); n != 60 {
			t.Errorf("%d entries are left", n)
		}
	})
}

func TestLargeDocumentIsSavedInParts(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		doc := feed.Document{About: feed.About{Title: "Big"}}
		for i := range 1205 {
			doc.Entries = append(doc.Entries, entry(fmt.Sprint("g", i), "T", now.now))
		}
		saved, err := s.SaveEntries(t.Context(), c, doc)
		if err != nil || saved.Created != 1205 {
			t.Fatalf("saved %+v, %v", saved, err)
		}
		saved, err = s.SaveEntries(t.Context(), c, doc)
		if err != nil || saved.Unchanged != 1205 || saved.Changed() {
			t.Errorf("again: %+v, %v", saved, err)
		}
	})
}

func TestDiffCutsLongValuesAtCharacters(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		e := entry("g1", "One", now.now)
		e.Content = "<p>" + strings.Repeat("ж", 300) + "</p>"
		if _, err := s.SaveEntries(t.Context(), c, feed.Document{Entries: []feed.Entry{e}}); err != nil {
			t.Fatal(err)
		}
		e.Content = "short"
		if _, err := s.SaveEntries(t.Context(), c, feed.Document{Entries: []feed.Entry{e}}); err != nil {
			t.Fatal(err)
		}
		signals, err := s.Signals(t.Context(), "", 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := signals[len(signals)-1].Changed["content"]
		if want := "<p>" + strings.Repeat("ж", 126) + "…"; got.From != want || got.To != "short" {
			t.Errorf("diff is %q → %q", got.From, got.To)
		}
	})
}
