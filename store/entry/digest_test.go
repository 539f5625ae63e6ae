package entry_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// dated returns an entry with fields that digests of version 1 covered and later ones do not.
func dated(guid, title string, at time.Time) feed.Entry {
	e := linked(guid, title, at)
	e.Extra = map[string]string{"categories": `[{"term":"Sea"}]`, "enclosures": `[{"url":"http://harbour.example/a.mp3","length":"12"}]`}
	return e
}

// downgrade replaces the digests of stored entries by those of version 1.
func downgrade(t *testing.T, s *store.Store, raw *storetest.Redigo) {
	t.Helper()
	all, err := s.Entries.Entries(t.Context(), harbour, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		raw.Do("HSET", e.ID, "digest", e.DigestV1())
	}
}

func TestUnchangedEntryWithADigestOfVersion1IsNotModified(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		doc := feed.Document{Entries: []feed.Entry{dated("g1", "One", now.Time), dated("g2", "Two", now.Time), dated("g3", "Three", now.Time), dated("g4", "Four", now.Time)}}
		save(t, s, c, doc)
		downgrade(t, s, raw)
		before := len(signals(t, s))

		doc.Entries[1].Extra["categories"] = `[{"term":"Sea"},{"term":"Ships"}]` // not part of what a person reads
		doc.Entries[2].GUID = "http://harbour.example/other"                     // known by its link
		doc.Entries[2].Aliases = []string{feed.GUIDAlias(doc.Entries[2].GUID, false), feed.LinkAlias(doc.Entries[2].Link)}
		for range 2 {
			if got := save(t, s, c, doc); got.Modified+got.Created > 0 {
				t.Fatalf("after the upgrade: %+v", got)
			}
		}
		if after := len(signals(t, s)); after != before {
			t.Errorf("%d signals, want %d", after, before)
		}

		doc.Entries[3].Title = "Four, edited"
		if got := save(t, s, c, doc); got.Modified != 1 {
			t.Errorf("after an edit: %+v", got)
		}
		if got := raw.StringMap("HGETALL", raw.Entry(4))["digest"]; got != doc.Entries[3].Digest() {
			t.Errorf("the digest is %q, want version 2", got)
		}
	})
}

func TestFieldsOfANewParserArriveSilently(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		doc := feed.Document{Received: now.Time, Entries: []feed.Entry{linked("g1", "One", now.Time), linked("g2", "Two", now.Time), linked("g3", "Three", now.Time)}}
		save(t, s, c, doc)
		if err := s.Entries.DeleteEntry(t.Context(), raw.Entry(3)); err != nil {
			t.Fatal(err)
		}
		before, events := raw.StringMap("HGETALL", raw.Entry(1)), len(signals(t, s))
		version := func() string {
			v, err := s.SourceVersion(t.Context(), c.Source.ID, 10)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		first := version()

		c.Source.IgnoreUpdates = true
		now.Advance(time.Hour)
		doc.Received, doc.Reread, doc.Entries = now.Time, true, doc.Entries[:2]
		doc.Entries[0].Timestamp = now.Time // an entry without a date
		doc.Entries[0].Set("duration", "62")
		doc.Entries[0].Set("enclosures", "[]")
		doc.Entries[1].Title = "Two, edited" // which this source ignores
		doc.Entries[1].Set("duration", "63")
		for range 2 {
			if got := save(t, s, c, doc); got != (feed.Saved{Unchanged: 2}) {
				t.Errorf("saved %+v", got)
			}
		}
		before["duration"], before["enclosures"], before["reread_at"] = "62", "[]", core.Stamp(now.Time)
		if diff := cmp.Diff(before, raw.StringMap("HGETALL", raw.Entry(1))); diff != "" {
			t.Errorf("the entry (-want +got):\n%s", diff)
		}
		if got := raw.StringMap("HGETALL", raw.Entry(2)); got["duration"] != "" || got["title"] != "Two" {
			t.Errorf("an entry with an ignored edit: %v", got)
		}
		if after := len(signals(t, s)); after != events {
			t.Errorf("%d signals, want %d", after, events)
		}
		second := version()
		if second == first {
			t.Error("republished feeds do not show the new field")
		}
		now.Advance(time.Hour)
		doc.Received = now.Time
		if save(t, s, c, doc); version() != second {
			t.Error("the same fields are written again")
		}
	})
}

func TestEntriesOfTheSameBytesAreNotEdited(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := known(t, s, now)
		stored := feed.Document{Received: now.Time, Entries: []feed.Entry{linked("g1", "One", now.Time), linked("g2", "Two", now.Time)}}
		stored.Entries[0].Title, stored.Entries[0].Summary = "", "a guess"
		save(t, s, c, stored)
		c.Source.Poll.LastDocument = now.Time

		now.Advance(time.Hour)
		pushed := feed.Document{Received: now.Time, Partial: true, Entries: []feed.Entry{linked("g2", "Two, edited", now.Time)}}
		save(t, s, feed.Claim{Source: c.Source}, pushed)
		before, edited, events := raw.StringMap("HGETALL", raw.Entry(1)), raw.StringMap("HGETALL", raw.Entry(2)), len(signals(t, s))

		now.Advance(time.Hour)
		anew := feed.Document{
			Received: now.Time, Reread: true, SameBytes: true,
			Entries: []feed.Entry{linked("g1", "One", now.Time), linked("g2", "Two", now.Time)},
		}
		anew.Entries[0].Authors = []string{"Ann"}
		compared, err := s.Entries.CompareEntries(t.Context(), c.Source, anew)
		if want := []feed.Comparison{{Verdict: feed.VerdictSame}, {Verdict: feed.VerdictSame}}; err != nil || !cmp.Equal(compared, want) {
			t.Errorf("compared %+v, %v", compared, err)
		}
		for range 2 {
			if got := save(t, s, c, anew); got != (feed.Saved{Unchanged: 2}) {
				t.Errorf("saved %+v", got)
			}
			before["title"], before["author"], before["digest"], before["reread_at"], before["unread"] =
				"One", "Ann", anew.Entries[0].Digest(), core.Stamp(anew.Received), stored.Entries[0].Digest()
			delete(before, "summary")
			delete(before, "authors")
			if diff := cmp.Diff(before, raw.StringMap("HGETALL", raw.Entry(1))); diff != "" {
				t.Errorf("the entry (-want +got):\n%s", diff)
			}
			now.Advance(time.Minute)
		}
		if diff := cmp.Diff(edited, raw.StringMap("HGETALL", raw.Entry(2))); diff != "" {
			t.Errorf("the entry that a push edited after that document (-want +got):\n%s", diff)
		}
		if after := len(signals(t, s)); after != events {
			t.Errorf("%d signals, want %d", after, events)
		}

		anew.Received, anew.Reread, anew.SameBytes = now.Time, false, false
		anew.Entries[0].Title = "One, edited"
		if got := save(t, s, c, anew); got.Modified != 2 || len(signals(t, s)) != events+2 {
			t.Errorf("edits after it: %+v and %d signals", got, len(signals(t, s))-events)
		}
		if _, kept := raw.StringMap("HGETALL", raw.Entry(1))["unread"]; kept {
			t.Error("the edited entry has the digest before it was read anew")
		}
	})
}
