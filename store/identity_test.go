package store_test

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

// known is a claim on a source whose documents had ten entries so far.
func known(t *testing.T, s *store.Store, now *clock) feed.Claim {
	t.Helper()
	c := claim(t, s)
	c.Source.Poll.LastDocument, c.Source.Poll.Entries = now.now.Add(-time.Hour), 10
	return c
}

// linked is an entry with the aliases that its guid and link give it.
func linked(guid, title string, at time.Time) feed.Entry {
	e := entry(guid, title, at)
	e.Aliases = []string{feed.GUIDAlias(guid, false), feed.LinkAlias(e.Link)}
	return e
}

func saved(t *testing.T, s *store.Store, c feed.Claim, doc feed.Document) feed.Saved {
	t.Helper()
	counts, err := s.SaveEntries(t.Context(), c, doc)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

var noonToday = newClock().now

func TestFirstDocumentSignalsItsNewestEntries(t *testing.T) {
	for first, want := range map[int]int{0: 10, 3: 3, -1: 0, 100: 14} {
		s := open(t, store.Options{Dial: storetest.Memory(t), FirstSignals: first})
		c := claim(t, s)
		var doc feed.Document
		for i := range 14 {
			doc.Entries = append(doc.Entries, entry(fmt.Sprint("g", i), "T", noonToday.Add(time.Duration(i)*time.Minute)))
		}
		got := saved(t, s, c, doc)
		if got.Created != 14 || got.Held.Created != 14-want || got.FeedModified != (want < 14) {
			t.Errorf("FirstSignals %d: %+v", first, got)
		}
		signals, err := s.Signals(t.Context(), "", 100, 0)
		if err != nil {
			t.Fatal(err)
		}
		var guids []string
		for _, sig := range signals {
			if sig.Kind == feed.PostCreated {
				guids = append(guids, sig.GUID)
			}
		}
		if len(guids) != want || want > 0 && guids[want-1] != "g13" {
			t.Errorf("FirstSignals %d: signals of %v", first, guids)
		}
		if last := signals[len(signals)-1]; want < 14 && last.Held != (feed.Held{Created: 14 - want}) {
			t.Errorf("FirstSignals %d: the last signal is %+v", first, last)
		}
	}
}

func TestIgnoredUpdatesAreNeitherStoredNorSignalled(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := known(t, s, now)
		c.Source.IgnoreUpdates = true
		saved(t, s, c, feed.Document{Entries: []feed.Entry{entry("a", "A", now.now)}})
		got := saved(t, s, c, feed.Document{Entries: []feed.Entry{entry("a", "A, edited", now.now), entry("b", "B", now.now)}})
		if want := (feed.Saved{Created: 1, Unchanged: 1}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if e, err := s.EntryByGUID(t.Context(), harbour, "a"); err != nil || e.Title != "A" {
			t.Errorf("%+v, %v", e, err)
		}
	})
}

func TestIgnoredUpdatesStayIgnoredUnderAnotherGUID(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := known(t, s, now)
		c.Source.IgnoreUpdates = true
		saved(t, s, c, feed.Document{Entries: []feed.Entry{linked("a", "A", now.now), entry("b", "B", now.now)}})
		renamed := linked("a2", "A, edited", now.now)
		renamed.Link, renamed.Aliases[1] = "http://harbour.example/a", feed.LinkAlias("http://harbour.example/a")
		got := saved(t, s, c, feed.Document{Entries: []feed.Entry{renamed, entry("b", "B", now.now)}})
		if want := (feed.Saved{Unchanged: 2}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if e, err := s.EntryByGUID(t.Context(), harbour, "a"); err != nil || e.Title != "A" {
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
		saved(t, s, c, document("first", now.now))
		push := feed.Claim{Source: c.Source}
		later := document("pushed", now.now.Add(2*time.Second))
		later.Partial = true
		saved(t, s, push, later)
		if got := saved(t, s, c, document("first", now.now.Add(time.Second))); got.Modified != 0 {
			t.Errorf("a poll that came before the push: %+v", got)
		}
		if got := saved(t, s, c, document("third", now.now.Add(3*time.Second))); got.Modified != 1 {
			t.Errorf("a poll that came after it: %+v", got)
		}
		if e, err := s.EntryByGUID(t.Context(), harbour, "a"); err != nil || e.Title != "third" {
			t.Errorf("%+v, %v", e, err)
		}
	})
}

func TestExpiredEntriesStayExpiredUnderOtherNames(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		old, young := linked("http://harbour.example/old", "Old", now.now.Add(-time.Hour)), linked("young", "Young", now.now)
		saved(t, s, c, feed.Document{Entries: []feed.Entry{old, young}})
		if n, err := s.ExpireEntries(t.Context(), harbour, 1); n != 1 || err != nil {
			t.Fatalf("expired %d, %v", n, err)
		}
		for alias, id := range raw.StringMap("HGETALL", harbour+":alias") {
			if id != raw.Entry(2) {
				t.Errorf("alias %s of %s is left", alias, id)
			}
		}
		secure := linked("https://harbour.example/old", "Old", now.now.Add(-time.Hour))
		if got := saved(t, s, c, feed.Document{Entries: []feed.Entry{secure, young}}); got.Dead != 1 || got.Created != 0 {
			t.Errorf("the expired one under https: %+v", got)
		}
	})
}

func TestClearlyNewerPostTakesTheGUIDOfAnExpiredOne(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		reused, other := entry("daily", "Monday", now.now.Add(-time.Hour)), entry("x", "X", now.now)
		saved(t, s, c, feed.Document{Entries: []feed.Entry{reused, other}})
		if n, err := s.ExpireEntries(t.Context(), harbour, 1); n != 1 || err != nil {
			t.Fatalf("expired %d, %v", n, err)
		}
		now.Advance(24 * time.Hour)
		later := entry("daily", "Tuesday", now.now)
		later.Published = now.now
		restamped := other
		restamped.Published = other.Published.Add(time.Minute)
		if got := saved(t, s, c, feed.Document{Entries: []feed.Entry{later, restamped}}); got.Dead != 1 {
			t.Errorf("from a source that dates its posts anew: %+v", got)
		}
		now.Advance(time.Hour)
		later.Published = now.now
		if got := saved(t, s, c, feed.Document{Entries: []feed.Entry{later, other}}); got.Created != 1 || got.Held != (feed.Held{}) {
			t.Errorf("a later post: %+v", got)
		}
		if n := raw.Int("ZCARD", harbour+":dead"); n != 0 {
			t.Errorf("%d tombstones are left", n)
		}
	})
}

// A document with so much that is new that older posts are held does not keep a revived one out.
func TestRevivedEntryIsNewsAmongManyThatComeBack(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := known(t, s, now)
		saved(t, s, c, feed.Document{Entries: []feed.Entry{entry("daily", "Monday", now.now.Add(-time.Hour)), entry("x", "X", now.now)}})
		if n, err := s.ExpireEntries(t.Context(), harbour, 1); n != 1 || err != nil {
			t.Fatalf("expired %d, %v", n, err)
		}
		now.Advance(24 * time.Hour)
		later, newest := entry("daily", "Tuesday", now.now), entry("y", "Y", now.now.Add(time.Minute))
		saved(t, s, c, feed.Document{Entries: []feed.Entry{newest}, Partial: true})
		if got := saved(t, s, c, feed.Document{Entries: []feed.Entry{later, newest}}); got.Created != 1 || got.Held != (feed.Held{}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestEntriesExpireByAgeUnlessListed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		var doc feed.Document
		for day := range 10 {
			doc.Entries = append(doc.Entries, entry(fmt.Sprint(day), "T", now.now.Add(-24*time.Hour*time.Duration(day))))
		}
		slices.Reverse(doc.Entries)
		saved(t, s, c, doc)
		finish := func(listed int) {
			t.Helper()
			state := feed.PollState{LastDocument: now.now, NextPoll: now.now, Entries: listed, Listed: listed}
			if err := s.FinishPoll(t.Context(), c, feed.Polled{State: state}); err != nil {
				t.Fatal(err)
			}
			claims, err := s.ClaimSources(t.Context(), 1, time.Minute)
			if err != nil || len(claims) != 1 {
				t.Fatalf("claimed %d, %v", len(claims), err)
			}
			c = claims[0]
		}
		expire := func(keep feed.Keep, want int) {
			t.Helper()
			if n, err := s.ExpireAll(t.Context(), keep); n != want || err != nil {
				t.Errorf("expired %d, %v; want %d", n, err, want)
			}
		}
		finish(8)
		expire(feed.Keep{Entries: 50, For: 5*24*time.Hour + time.Hour}, 2) // days 8 and 9; 6 and 7 are listed
		finish(2)
		expire(feed.Keep{Entries: 50, For: 5*24*time.Hour + time.Hour}, 2)
		expire(feed.Keep{Entries: 4}, 2)
		if _, _, err := s.AddSource(t.Context(), feed.Source{URL: harbour, Keep: feed.Keep{Entries: 3}}); err != nil {
			t.Fatal(err)
		}
		expire(feed.Keep{Entries: 50}, 1)
		left, err := s.Entries(t.Context(), harbour, 50)
		if err != nil || len(left) != 3 || left[2].GUID != "2" {
			t.Errorf("left %+v, %v", left, err)
		}
	})
}

func TestSharedLinksNameNoEntry(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		same := func(guid string) feed.Entry {
			e := entry(guid, "Tide "+guid, now.now)
			e.Link = "http://harbour.example/"
			e.Aliases = []string{feed.GUIDAlias(guid, false), feed.LinkAlias(e.Link)}
			return e
		}
		// Together in a document, the link is nobody's; one after the other, the second takes it from the first.
		saved(t, s, c, feed.Document{Entries: []feed.Entry{same("a"), same("b")}})
		if got := raw.StringMap("HGETALL", harbour+":alias"); len(got) != 0 {
			t.Errorf("aliases %v", got)
		}
		saved(t, s, c, feed.Document{Entries: []feed.Entry{same("a")}, Partial: true})
		if got := saved(t, s, c, feed.Document{Entries: []feed.Entry{same("b"), same("c")}}); got.Created != 1 {
			t.Errorf("a third entry of that link: %+v", got)
		}
		link := feed.LinkAlias("http://harbour.example/")
		one, two := same("d"), same("e")
		one.Published, two.Published = now.now.Add(-72*time.Hour), now.now
		saved(t, s, c, feed.Document{Entries: []feed.Entry{one}})
		if got := saved(t, s, c, feed.Document{Entries: []feed.Entry{two}}); got.Created != 1 {
			t.Errorf("another day's entry of that link: %+v", got)
		}
		if got := raw.StringMap("HGETALL", harbour+":alias"); !cmp.Equal(got, map[string]string{link: ""}) {
			t.Errorf("aliases %v", got)
		}
	})
}

func TestRepairedAndPartialDocumentsMakeNothingDisappear(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		for name, doc := range map[string]feed.Document{"whole": {}, "repaired": {Repaired: true}, "pushed": {Partial: true}} {
			c := known(t, s, now)
			if _, err := s.ExpireEntries(t.Context(), harbour, 1); err != nil {
				t.Fatal(err)
			}
			day := now.now.Add(time.Hour)
			title, guid := "Low tide "+name, "renamed "+name
			first := feed.Document{Entries: []feed.Entry{entry("before "+name, "Before", day.Add(-time.Hour)), entry("it "+name, title, day)}}
			saved(t, s, c, first)
			doc.Entries = []feed.Entry{first.Entries[0], entry(guid, title, day)}
			got := saved(t, s, c, doc)
			want := 1
			if name == "whole" {
				want = 0
			}
			if got.Created != want {
				t.Errorf("%s: an entry of the same title and day under another guid and link: %+v", name, got)
			}
			if err := s.ReleaseSource(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	})
}
