package entry_test

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
			Entries: []feed.Entry{entry("g1", "One", now.Time), entry("g2", "Two", now.Time)},
		}
		saved, err := s.Entries.SaveEntries(t.Context(), c, doc)
		if want := (feed.Saved{Created: 2}); err != nil || saved != want {
			t.Fatalf("first: %+v, %v; want %+v", saved, err, want)
		}
		saved, err = s.Entries.SaveEntries(t.Context(), c, doc)
		if want := (feed.Saved{Unchanged: 2}); err != nil || saved != want {
			t.Errorf("second: %+v, %v; want %+v", saved, err, want)
		}
		doc.Entries[1].Title = "Two, edited"
		doc.Entries[1].Timestamp = now.Time.Add(time.Hour)
		saved, err = s.Entries.SaveEntries(t.Context(), c, doc)
		if want := (feed.Saved{Modified: 1, Unchanged: 1}); err != nil || saved != want {
			t.Errorf("third: %+v, %v; want %+v", saved, err, want)
		}
		all := signals(t, s)
		if len(all) != 4 {
			t.Fatalf("%d signals; want feed_created, two post_created, post_modified", len(all))
		}
		last := all[3]
		want := map[string]feed.Change{"title": {From: "Two", To: "Two, edited"}, "date_updated": {To: "1795179600"}}
		if last.Kind != feed.PostModified || !cmp.Equal(last.Changed, want) {
			t.Errorf("last signal is %s %v", last.Kind, last.Changed)
		}
		if last.Post == nil || last.Post.Title != "Two, edited" || last.GUID != "g2" || last.Digest != doc.Entries[1].Digest() {
			t.Errorf("last signal's post is %+v", last.Post)
		}
	})
}

func TestFeedIsModifiedOnlyAfterItsFirstDocument(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		modified := func(title string) bool {
			t.Helper()
			saved := save(t, s, c, feed.Document{About: feed.About{Title: title}})
			now.Advance(time.Minute)
			c = finish(t, s, c, feed.PollState{LastDocument: now.Time, NextPoll: now.Time, NextReason: "interval"})
			return saved.FeedModified
		}
		if modified("Harbour") {
			t.Error("the first document modified the feed")
		}
		if modified("Harbour") {
			t.Error("the same title modified the feed")
		}
		if !modified("Harbour News") {
			t.Error("another title did not modify the feed")
		}
		all := signals(t, s)
		if len(all) != 2 || all[1].Kind != feed.FeedModified {
			t.Fatalf("signals %+v", all)
		}
		if want := map[string]feed.Change{"title": {From: "Harbour", To: "Harbour News"}}; !cmp.Equal(all[1].Changed, want) {
			t.Errorf("diff is %v", all[1].Changed)
		}
	})
}

func TestLostLeaseWritesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		first := claim(t, s)
		now.Advance(2 * time.Minute)
		second, err := s.Sources.ClaimSources(t.Context(), 1, time.Minute)
		if err != nil || len(second) != 1 {
			t.Fatalf("claimed %d after the lease ended, %v", len(second), err)
		}
		doc := feed.Document{Entries: []feed.Entry{entry("g1", "One", now.Time)}}
		if _, err := s.Entries.SaveEntries(t.Context(), first, doc); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("saving under the lost lease gave %v", err)
		}
		if err := s.Sources.FinishPoll(t.Context(), &first, &feed.PollResult{State: feed.PollState{NextPoll: now.Time}}); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("finishing under the lost lease gave %v", err)
		}
		if n := raw.Int("EXISTS", raw.Entry(1), "ids:Entry"); n != 0 {
			t.Error("the lost lease wrote an entry")
		}
		if _, err := s.Entries.SaveEntries(t.Context(), second[0], doc); err != nil {
			t.Errorf("saving under the new lease: %v", err)
		}
	})
}

func TestExpiredEntryIsNotRecreatedWhileListed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		doc := feed.Document{Entries: []feed.Entry{entry("old", "Old", now.Time.Add(-time.Hour)), entry("new", "New", now.Time)}}
		save(t, s, c, doc)
		if n, err := s.Entries.ExpireEntries(t.Context(), harbour, 1); n != 1 || err != nil {
			t.Fatalf("expired %d, %v", n, err)
		}
		finishAfter := func(d time.Duration) {
			t.Helper()
			now.Advance(d)
			c = finish(t, s, c, feed.PollState{LastDocument: now.Time, NextPoll: now.Time, Entries: 1})
		}
		finishAfter(20 * 24 * time.Hour)
		saved, err := s.Entries.SaveEntries(t.Context(), c, doc)
		if err != nil || saved.Dead != 1 || saved.Created != 0 {
			t.Errorf("after expiry: %+v, %v", saved, err)
		}
		finishAfter(20 * 24 * time.Hour)
		if _, err := s.ExpireAll(t.Context(), feed.Keep{Entries: 50}); err != nil {
			t.Fatal(err)
		}
		if n := raw.Int("ZCARD", harbour+":dead"); n != 1 {
			t.Error("a tombstone seen 20 days ago was dropped")
		}
		finishAfter(40 * 24 * time.Hour)
		if _, err := s.ExpireAll(t.Context(), feed.Keep{Entries: 50}); err != nil {
			t.Fatal(err)
		}
		if n := raw.Int("ZCARD", harbour+":dead"); n != 0 {
			t.Error("a tombstone not seen for 60 days was kept")
		}
	})
}

func TestListedEntryDoesNotExpire(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		var doc feed.Document
		for i := range 60 {
			doc.Entries = append(doc.Entries, entry(fmt.Sprint(i), "T", now.Time.Add(time.Duration(i)*time.Second)))
		}
		save(t, s, c, doc)
		if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: feed.PollState{LastDocument: now.Time, Entries: 60}}); err != nil {
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

func TestLargeDocumentIsSavedInSeveralCalls(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		doc := feed.Document{About: feed.About{Title: "Big"}}
		for i := range 1205 {
			doc.Entries = append(doc.Entries, entry(fmt.Sprint("g", i), "T", now.Time))
		}
		saved, err := s.Entries.SaveEntries(t.Context(), c, doc)
		if err != nil || saved.Created != 1205 {
			t.Fatalf("saved %+v, %v", saved, err)
		}
		saved, err = s.Entries.SaveEntries(t.Context(), c, doc)
		if err != nil || saved.Unchanged != 1205 || saved.Changed() {
			t.Errorf("again: %+v, %v", saved, err)
		}
	})
}

func TestDiffCutsLongValuesAtCharacters(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		e := entry("g1", "One", now.Time)
		e.Content = "<p>" + strings.Repeat("ж", 300) + "</p>"
		save(t, s, c, feed.Document{Entries: []feed.Entry{e}})
		e.Content = "short"
		save(t, s, c, feed.Document{Entries: []feed.Entry{e}})
		all := signals(t, s)
		got := all[len(all)-1].Changed["content"]
		if want := "<p>" + strings.Repeat("ж", 126) + "…"; got.From != want || got.To != "short" {
			t.Errorf("diff is %q → %q", got.From, got.To)
		}
	})
}

func TestCompareEntriesWritesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		old := []feed.Entry{entry("a", "A", now.Time), entry("b", "B", now.Time)}
		if _, err := s.Entries.SaveEntries(t.Context(), c, feed.Document{Entries: old}); err != nil {
			t.Fatal(err)
		}
		edited := entry("b", "B", now.Time)
		edited.Title, edited.Summary = "Better", "new"
		want := []feed.Comparison{
			{Verdict: feed.VerdictSame}, {Verdict: feed.VerdictChanged, Changed: []string{"summary", "title"}}, {Verdict: feed.VerdictNew},
		}
		for range 2 {
			got, err := s.Entries.CompareEntries(t.Context(), c.Source, feed.Document{Entries: []feed.Entry{old[0], edited, entry("c", "C", now.Time)}})
			if err != nil || !cmp.Equal(got, want) {
				t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
			}
		}
	})
}

func TestPushedDocumentDoesNotDescribeItsFeed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		claim(t, s)
		raw.Do("HSET", harbour+":meta", "title", "Harbour", "last_document", "1")
		src, err := s.Sources.SourceByURL(t.Context(), harbour)
		if err != nil {
			t.Fatal(err)
		}
		doc := feed.Document{
			About: feed.About{Title: "Hub's own title"}, Partial: true,
			Entries: []feed.Entry{{FeedURL: harbour, GUID: "1", Title: "One", Timestamp: now.Time}},
		}
		saved, err := s.Entries.SaveEntries(t.Context(), feed.Claim{Source: src}, doc)
		if err != nil || saved.Created != 1 || saved.FeedModified {
			t.Errorf("saved %+v, %v", saved, err)
		}
		if src, err = s.Sources.SourceByURL(t.Context(), harbour); err != nil || src.About.Title != "Harbour" {
			t.Errorf("got %+v, %v", src.About, err)
		}
		if err := s.Sources.RemoveSource(t.Context(), src.ID, 0); err != nil {
			t.Fatal(err)
		}
		doc.Entries[0].GUID = "2"
		if _, err := s.Entries.SaveEntries(t.Context(), feed.Claim{Source: src}, doc); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("a push for a removed source gave %v", err)
		}
	})
}
