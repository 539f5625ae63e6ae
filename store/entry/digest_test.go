package entry_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
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
