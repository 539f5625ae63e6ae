package entry_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// eachKeeping runs a test with stores whose sources keep 50 entries and may get 1000 in a minute by push.
func eachKeeping(t *testing.T, test func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo)) {
	storetest.Each(t, func(t *testing.T, opts core.Options, now *clock, raw *storetest.Redigo) {
		opts.KeepEntries, opts.PushEntries = 50, 1000
		test(t, storetest.New(t, opts), now, raw)
	})
}

// A source may have as many signalled entries in a day as the limit, and again as many over the next day.
func TestSourceHasSoMuchNewsInADay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, opts core.Options, now *clock, raw *storetest.Redigo) {
		opts.DayEntries = 240 // ten an hour
		s := storetest.New(t, opts)
		poll := known(t, s, now)
		push := poll
		push.Token = ""
		refused := func(c feed.Claim, doc feed.Document, wait time.Duration) {
			t.Helper()
			_, err := s.Entries.SaveEntries(t.Context(), c, doc)
			over, ok := errors.AsType[*feed.DayLimitError](err)
			if !ok || over.Wait.Round(time.Minute) != wait || over.Limit != 240 || over.Entries != len(doc.Entries) {
				t.Errorf("%d entries: %v, %+v", len(doc.Entries), err, over)
			}
		}
		save(t, s, push, pushedPosts(0, 100))
		save(t, s, poll, pushedPosts(100, 130))
		refused(poll, pushedPosts(230, 20), time.Hour)
		refused(push, pushedPosts(230, 30), 2*time.Hour)
		save(t, s, poll, pushedPosts(200, 40)) // of which 30 are known
		refused(push, pushedPosts(240, 10), time.Hour)
		if signals, posts := raw.Int("XLEN", "signals"), raw.Int("ZCARD", harbour+":sort"); signals != 1+240 || posts != 240 { // and that the feed was added
			t.Errorf("%d signals of %d entries", signals, posts)
		}
		now.Advance(-24 * time.Hour) // the clock is set back
		refused(push, pushedPosts(240, 10), time.Hour)
		now.Advance(time.Hour)
		save(t, s, push, pushedPosts(240, 10))
		refused(push, pushedPosts(250, 1000), 24*time.Hour)
		now.Advance(24*time.Hour + time.Second)
		save(t, s, push, pushedPosts(250, 1000))
	})
}

// Known entries under new guids, edits that are stored without a signal, and what a newer parser reads, are no news.
func TestLimitOfADayCountsSignalsOnly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, opts core.Options, now *clock, raw *storetest.Redigo) {
		opts.DayEntries, opts.PushEntries = 300, 150
		s := storetest.New(t, opts)
		poll := known(t, s, now)
		push := poll
		push.Token = ""
		save(t, s, poll, pushedPosts(0, 100))
		for round := range 5 {
			doc := pushedPosts(0, 100)
			for i := range doc.Entries {
				doc.Entries[i].GUID = fmt.Sprint(doc.Entries[i].GUID, " of round ", round)
				doc.Entries[i].Aliases[0] = feed.GUIDAlias(doc.Entries[i].GUID, false)
			}
			if saved := save(t, s, push, doc); saved.Unchanged != 100 {
				t.Fatalf("round %d: %+v", round, saved)
			}
		}
		for edit := range 100 { // of which 24 are signalled
			doc := pushedPosts(0, 1)
			doc.Received = now.Now()
			doc.Entries[0].Title = fmt.Sprint("Edit ", edit)
			save(t, s, poll, doc)
			now.Advance(time.Millisecond)
		}
		poll.Source.Poll.LastDocument = now.Now()
		now.Advance(time.Second)
		anew := pushedPosts(0, 100) // as a newer parser reads the same bytes
		anew.Received, anew.Reread, anew.SameBytes = now.Now(), true, true
		for i := range anew.Entries {
			anew.Entries[i].Summary = "read anew"
		}
		if saved := save(t, s, poll, anew); saved.Unchanged != 100 {
			t.Fatalf("read anew: %+v", saved)
		}
		save(t, s, poll, pushedPosts(100, 176))
		if _, err := s.Entries.SaveEntries(t.Context(), poll, pushedPosts(276, 1)); !errors.As(err, new(*feed.DayLimitError)) {
			t.Errorf("one post more: %v", err)
		}
		if signals := raw.Int("XLEN", "signals"); signals != 1+300 { // and that the feed was added
			t.Errorf("%d signals", signals)
		}
	})
}

// pushedPosts returns a pushed document with posts of which each is a second newer than the one before.
func pushedPosts(from, count int) feed.Document {
	doc, day := feed.Document{Partial: true}, storetest.NewClock().Now()
	for i := range count {
		doc.Entries = append(doc.Entries, linked(fmt.Sprint("post ", from+i), "T", day.Add(time.Duration(from+i)*time.Second)))
	}
	return doc
}

func TestSourceNeverHoldsManyMoreEntriesThanItKeeps(t *testing.T) {
	eachKeeping(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		c.Token = ""
		const document, documents = 100, 20
		for n := range documents {
			saved := save(t, s, c, pushedPosts(n*document, document))
			if saved.Created != document {
				t.Fatalf("document %d: %+v", n, saved)
			}
			if held := raw.Int("ZCARD", harbour+":sort"); held > 50+1000+document {
				t.Fatalf("after document %d the source holds %d entries", n, held)
			}
			now.Advance(time.Minute)
		}
		created := make(map[string]int)
		for from := ""; ; {
			signals, err := s.Signals.BareSignals(t.Context(), from, 1000, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range signals {
				if one.Kind == feed.PostCreated {
					created[one.GUID]++
				}
				from = one.ID
			}
			if len(signals) == 0 {
				break
			}
		}
		if len(created) != document*documents {
			t.Errorf("%d posts are signalled, want %d", len(created), document*documents)
		}
		// What was removed while saving is neither created nor signalled again.
		saved := save(t, s, c, pushedPosts(0, document))
		if saved.Created != 0 || saved.Dead != document {
			t.Errorf("posts that were removed are saved again: %+v", saved)
		}
		if n, err := s.ExpireAll(t.Context(), feed.Keep{Entries: 50}); err != nil || n == 0 {
			t.Errorf("housekeeping removed %d, %v", n, err)
		}
		if held := raw.Int("ZCARD", harbour+":sort"); held != 50 {
			t.Errorf("housekeeping leaves %d entries", held)
		}
	})
}

func TestEntryIsStoredWhenItsSignalIsWritten(t *testing.T) {
	eachKeeping(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		c.Token = ""
		for n := range 11 {
			save(t, s, c, pushedPosts(n*100, 100))
			now.Advance(time.Minute)
		}
		late := linked("late", "A post from last year", now.Time.Add(-365*24*time.Hour))
		save(t, s, c, feed.Document{Partial: true, Entries: []feed.Entry{late}})
		if _, err := s.Entries.EntryByGUID(t.Context(), harbour, "late"); err != nil {
			t.Errorf("the oldest entry of a full source: %v", err)
		}
	})
}

func TestListedEntriesAreNotRemovedWhileSaving(t *testing.T) {
	eachKeeping(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		c.Source.Poll.Listed, c.Source.Poll.Entries = 1500, 1500
		doc := pushedPosts(0, 1500)
		doc.Partial = false
		save(t, s, c, doc)
		c.Token = ""
		for n := range 9 {
			save(t, s, c, pushedPosts(1500+n*100, 100))
			now.Advance(time.Minute)
		}
		if _, err := s.Entries.EntryByGUID(t.Context(), harbour, "post 0"); err != nil {
			t.Errorf("an entry that the source lists: %v", err)
		}
	})
}

func TestTooManyPushedEntriesAreRefusedAsAWhole(t *testing.T) {
	eachKeeping(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		poll := c
		c.Token = ""
		save(t, s, c, pushedPosts(0, 900))
		now.Advance(10 * time.Second)
		_, err := s.Entries.SaveEntries(t.Context(), c, pushedPosts(800, 201))
		limit, ok := errors.AsType[*feed.PushLimitError](err)
		if !ok || limit.Wait != 50*time.Second || limit.Limit != 1000 || limit.Entries != 101 {
			t.Fatalf("101 entries more: %v, %+v", err, limit)
		}
		if held := raw.Int("ZCARD", harbour+":sort"); held != 900 {
			t.Errorf("%d entries are stored", held)
		}
		save(t, s, c, pushedPosts(800, 200)) // of which 100 are known
		save(t, s, poll, pushedPosts(1000, 10))
		now.Advance(50 * time.Second)
		save(t, s, c, pushedPosts(1010, 1000))
	})
}
