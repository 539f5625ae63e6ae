package entry_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

var noonToday = storetest.NewClock().Time

func TestFirstDocumentSignalsItsNewestEntries(t *testing.T) {
	for first, want := range map[int]int{0: 10, 3: 3, -1: 0, 100: 14} {
		s := open(t, store.Options{Dial: storetest.Memory(t), FirstSignals: first})
		c := claim(t, s)
		var doc feed.Document
		for i := range 14 {
			doc.Entries = append(doc.Entries, entry(fmt.Sprint("g", i), "T", noonToday.Add(time.Duration(i)*time.Minute)))
		}
		got := save(t, s, c, doc)
		if got.Created != 14 || got.Unsignalled.Created != 14-want || got.FeedModified != (want < 14) {
			t.Errorf("FirstSignals %d: %+v", first, got)
		}
		all := signals(t, s)
		var guids []string
		for _, sig := range all {
			if sig.Kind == feed.PostCreated {
				guids = append(guids, sig.GUID)
			}
		}
		if len(guids) != want || want > 0 && guids[want-1] != "g13" {
			t.Errorf("FirstSignals %d: signals of %v", first, guids)
		}
		if last := all[len(all)-1]; want < 14 && last.Unsignalled != (feed.Unsignalled{Created: 14 - want}) {
			t.Errorf("FirstSignals %d: the last signal is %+v", first, last)
		}
	}
}

func TestIgnoredUpdateIsNeitherStoredNorSignalled(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := known(t, s, now)
		c.Source.IgnoreUpdates = true
		save(t, s, c, feed.Document{Entries: []feed.Entry{entry("a", "A", now.Time)}})
		got := save(t, s, c, feed.Document{Entries: []feed.Entry{entry("a", "A, edited", now.Time), entry("b", "B", now.Time)}})
		if want := (feed.Saved{Created: 1, Unchanged: 1}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if e, err := s.Entries.EntryByGUID(t.Context(), harbour, "a"); err != nil || e.Title != "A" {
			t.Errorf("%+v, %v", e, err)
		}
	})
}

func TestIgnoredUpdateStaysIgnoredUnderAnotherGUID(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := known(t, s, now)
		c.Source.IgnoreUpdates = true
		save(t, s, c, feed.Document{Entries: []feed.Entry{linked("a", "A", now.Time), entry("b", "B", now.Time)}})
		renamed := linked("a2", "A, edited", now.Time)
		renamed.Link, renamed.Aliases[1] = "http://harbour.example/a", feed.LinkAlias("http://harbour.example/a")
		got := save(t, s, c, feed.Document{Entries: []feed.Entry{renamed, entry("b", "B", now.Time)}})
		if want := (feed.Saved{Unchanged: 2}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if e, err := s.Entries.EntryByGUID(t.Context(), harbour, "a"); err != nil || e.Title != "A" {
			t.Errorf("%+v, %v", e, err)
		}
	})
}

func TestOlderDocumentDoesNotOverwriteALaterOne(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := known(t, s, now)
		document := func(title string, at time.Time) feed.Document {
			return feed.Document{Entries: []feed.Entry{entry("a", title, noonToday)}, Received: at}
		}
		save(t, s, c, document("first", now.Time))
		push := feed.Claim{Source: c.Source}
		later := document("pushed", now.Time.Add(2*time.Second))
		later.Partial = true
		save(t, s, push, later)
		if got := save(t, s, c, document("first", now.Time.Add(time.Second))); got.Modified != 0 {
			t.Errorf("a poll that came before the push: %+v", got)
		}
		if got := save(t, s, c, document("third", now.Time.Add(3*time.Second))); got.Modified != 1 {
			t.Errorf("a poll that came after it: %+v", got)
		}
		if e, err := s.Entries.EntryByGUID(t.Context(), harbour, "a"); err != nil || e.Title != "third" {
			t.Errorf("%+v, %v", e, err)
		}
	})
}

func TestExpiredEntryStaysExpiredUnderOtherNames(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		old, young := linked("http://harbour.example/old", "Old", now.Time.Add(-time.Hour)), linked("young", "Young", now.Time)
		save(t, s, c, feed.Document{Entries: []feed.Entry{old, young}})
		if n, err := s.Entries.ExpireEntries(t.Context(), harbour, 1); n != 1 || err != nil {
			t.Fatalf("expired %d, %v", n, err)
		}
		for alias, id := range raw.StringMap("HGETALL", harbour+":alias") {
			if id != raw.Entry(2) {
				t.Errorf("alias %s of %s is left", alias, id)
			}
		}
		secure := linked("https://harbour.example/old", "Old", now.Time.Add(-time.Hour))
		if got := save(t, s, c, feed.Document{Entries: []feed.Entry{secure, young}}); got.Dead != 1 || got.Created != 0 {
			t.Errorf("the expired one under https: %+v", got)
		}
	})
}

func TestClearlyNewerPostTakesTheGUIDOfAnExpiredOne(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		reused, other := entry("daily", "Monday", now.Time.Add(-time.Hour)), entry("x", "X", now.Time)
		save(t, s, c, feed.Document{Entries: []feed.Entry{reused, other}})
		if n, err := s.Entries.ExpireEntries(t.Context(), harbour, 1); n != 1 || err != nil {
			t.Fatalf("expired %d, %v", n, err)
		}
		now.Advance(24 * time.Hour)
		later := entry("daily", "Tuesday", now.Time)
		later.Published = now.Time
		restamped := other
		restamped.Published = other.Published.Add(time.Minute)
		if got := save(t, s, c, feed.Document{Entries: []feed.Entry{later, restamped}}); got.Dead != 1 {
			t.Errorf("from a source that dates its posts anew: %+v", got)
		}
		now.Advance(time.Hour)
		later.Published = now.Time
		if got := save(t, s, c, feed.Document{Entries: []feed.Entry{later, other}}); got.Created != 1 || got.Unsignalled != (feed.Unsignalled{}) {
			t.Errorf("a later post: %+v", got)
		}
		if n := raw.Int("ZCARD", harbour+":dead"); n != 0 {
			t.Errorf("%d tombstones are left", n)
		}
	})
}

// A document with so many new entries that older ones are not signalled still signals a revived entry.
func TestRevivedEntryIsSignalledAmongManyNewEntries(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := known(t, s, now)
		save(t, s, c, feed.Document{Entries: []feed.Entry{entry("daily", "Monday", now.Time.Add(-time.Hour)), entry("x", "X", now.Time)}})
		if n, err := s.Entries.ExpireEntries(t.Context(), harbour, 1); n != 1 || err != nil {
			t.Fatalf("expired %d, %v", n, err)
		}
		now.Advance(24 * time.Hour)
		later, newest := entry("daily", "Tuesday", now.Time), entry("y", "Y", now.Time.Add(time.Minute))
		save(t, s, c, feed.Document{Entries: []feed.Entry{newest}, Partial: true})
		if got := save(t, s, c, feed.Document{Entries: []feed.Entry{later, newest}}); got.Created != 1 || got.Unsignalled != (feed.Unsignalled{}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestEntriesExpireByAgeUnlessListed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		var doc feed.Document
		for day := range 10 {
			doc.Entries = append(doc.Entries, entry(fmt.Sprint(day), "T", now.Time.Add(-24*time.Hour*time.Duration(day))))
		}
		slices.Reverse(doc.Entries)
		save(t, s, c, doc)
		list := func(entries int) {
			t.Helper()
			c = finish(t, s, c, feed.PollState{LastDocument: now.Time, NextPoll: now.Time, Entries: entries, Listed: entries})
		}
		expire := func(keep feed.Keep, want int) {
			t.Helper()
			if n, err := s.ExpireAll(t.Context(), keep); n != want || err != nil {
				t.Errorf("expired %d, %v; want %d", n, err, want)
			}
		}
		list(8)
		expire(feed.Keep{Entries: 50, For: feed.Duration(5*24*time.Hour + time.Hour)}, 2) // days 8 and 9; 6 and 7 are listed
		list(2)
		expire(feed.Keep{Entries: 50, For: feed.Duration(5*24*time.Hour + time.Hour)}, 2)
		expire(feed.Keep{Entries: 4}, 2)
		if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour, Keep: feed.Keep{Entries: 3}}); err != nil {
			t.Fatal(err)
		}
		expire(feed.Keep{Entries: 50}, 1)
		left, err := s.Entries.Entries(t.Context(), harbour, 50)
		if err != nil || len(left) != 3 || left[2].GUID != "2" {
			t.Errorf("left %+v, %v", left, err)
		}
	})
}

func TestSharedLinkIdentifiesNoEntry(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		same := func(guid string) feed.Entry {
			e := entry(guid, "Tide "+guid, now.Time)
			e.Link = "http://harbour.example/"
			e.Aliases = []string{feed.GUIDAlias(guid, false), feed.LinkAlias(e.Link)}
			return e
		}
		// Two entries of one document that share a link do not get it as an alias. A later entry removes it from an earlier one.
		save(t, s, c, feed.Document{Entries: []feed.Entry{same("a"), same("b")}})
		if got := raw.StringMap("HGETALL", harbour+":alias"); len(got) != 0 {
			t.Errorf("aliases %v", got)
		}
		save(t, s, c, feed.Document{Entries: []feed.Entry{same("a")}, Partial: true})
		if got := save(t, s, c, feed.Document{Entries: []feed.Entry{same("b"), same("c")}}); got.Created != 1 {
			t.Errorf("a third entry of that link: %+v", got)
		}
		link := feed.LinkAlias("http://harbour.example/")
		one, two := same("d"), same("e")
		one.Published, two.Published = now.Time.Add(-72*time.Hour), now.Time
		save(t, s, c, feed.Document{Entries: []feed.Entry{one}})
		if got := save(t, s, c, feed.Document{Entries: []feed.Entry{two}}); got.Created != 1 {
			t.Errorf("another day's entry of that link: %+v", got)
		}
		if got := raw.StringMap("HGETALL", harbour+":alias"); !cmp.Equal(got, map[string]string{link: ""}) {
			t.Errorf("aliases %v", got)
		}
	})
}

func TestOnlyCompleteDocumentMatchesByTitle(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		for name, doc := range map[string]feed.Document{"whole": {}, "repaired": {Repaired: true}, "pushed": {Partial: true}} {
			c := known(t, s, now)
			if _, err := s.Entries.ExpireEntries(t.Context(), harbour, 1); err != nil {
				t.Fatal(err)
			}
			day := now.Time.Add(time.Hour)
			title, guid := "Low tide "+name, "renamed "+name
			first := feed.Document{Entries: []feed.Entry{entry("before "+name, "Before", day.Add(-time.Hour)), entry("it "+name, title, day)}}
			save(t, s, c, first)
			doc.Entries = []feed.Entry{first.Entries[0], entry(guid, title, day)}
			got := save(t, s, c, doc)
			want := 1
			if name == "whole" {
				want = 0
			}
			if got.Created != want {
				t.Errorf("%s: an entry of the same title and day under another guid and link: %+v", name, got)
			}
			if err := s.Sources.ReleaseSource(t.Context(), &c); err != nil {
				t.Fatal(err)
			}
		}
	})
}
