package entry_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestEntriesHaveTheKeysOfTheSeed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		e := entry("g1", "Tide", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		id := raw.Entry(1)
		if e.ID != id || raw.Int("GET", "ids:Entry") != 1 {
			t.Errorf("got id %s, counter %d; want %s and 1", e.ID, raw.Int("GET", "ids:Entry"), id)
		}
		want := map[string]string{
			"feed_url": harbour, "guid": "g1", "timestamp": "1795176000", "title": "Tide",
			"link": "http://harbour.example/g1", "content": "<p>Tide</p>", "author": "Ada, Grace",
			"authors": `["Ada","Grace"]`, "date_published": "1795176000", "digest": e.Digest(),
		}
		if diff := cmp.Diff(want, raw.StringMap("HGETALL", id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
		if got := raw.StringMap("HGETALL", harbour+":guidmap"); !cmp.Equal(got, map[string]string{"g1": id}) {
			t.Errorf("guidmap is %v", got)
		}
		if got := raw.Strings("ZRANGE", harbour+":sort", 0, -1, "WITHSCORES"); !cmp.Equal(got, []string{id, "1795176000"}) {
			t.Errorf("sort is %v", got)
		}
		if got := signals(t, s); len(got) != 1 || got[0].Kind != feed.PostCreated {
			t.Errorf("signals are %+v", got)
		}
	})
}

func TestEntryWithoutARequiredFieldIsInvalid(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		full := entry("g", "T", now.Time)
		for name, spoil := range map[string]func(*feed.Entry){
			"feed_url":  func(e *feed.Entry) { e.FeedURL = "" },
			"guid":      func(e *feed.Entry) { e.GUID = "" },
			"timestamp": func(e *feed.Entry) { e.Timestamp = time.Time{} },
		} {
			e := full
			spoil(&e)
			if err := s.Entries.SaveEntry(t.Context(), &e); !errors.Is(err, feed.ErrInvalid) {
				t.Errorf("saving an entry without %s gave %v", name, err)
			}
		}
	})
}

func TestSaveEntryMayChangeTheGUID(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		one, two := entry("g1", "One", now.Time), entry("g2", "Two", now.Time.Add(-time.Hour))
		for _, e := range []*feed.Entry{&one, &two} {
			if err := s.Entries.SaveEntry(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		again := entry("g1", "Other", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &again); !errors.Is(err, feed.ErrExists) {
			t.Errorf("a second new entry with the same guid gave %v", err)
		}
		one.GUID, one.Title, one.Timestamp = "g1b", "One more", now.Time.Add(time.Hour)
		if err := s.Entries.SaveEntry(t.Context(), &one); err != nil {
			t.Fatal(err)
		}
		got, err := s.Entries.EntryByGUID(t.Context(), harbour, "g1b")
		if err != nil || got.ID != one.ID || got.Title != "One more" {
			t.Errorf("by the new guid: %+v, %v", got, err)
		}
		if _, err := s.Entries.EntryByGUID(t.Context(), harbour, "g1"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("by the old guid: %v", err)
		}
		one.GUID = "g2"
		if err := s.Entries.SaveEntry(t.Context(), &one); !errors.Is(err, feed.ErrExists) {
			t.Errorf("taking another entry's guid gave %v", err)
		}
		lost := entry("g9", "Nine", now.Time)
		lost.ID = "Entry:99"
		if err := s.Entries.SaveEntry(t.Context(), &lost); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("saving an unknown id gave %v", err)
		}
		if n := raw.Int("EXISTS", "Entry:99"); n != 0 {
			t.Error("saving an unknown id has made one")
		}
	})
}

func TestDefaultLimitsAreThoseOfTheSeed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		for i := range 70 {
			e := entry(fmt.Sprintf("g%02d", i), fmt.Sprint(i), now.Time.Add(time.Duration(i)*time.Second))
			if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Entries.Entries(t.Context(), harbour, 0)
		if err != nil || len(got) != 20 || got[0].GUID != "g69" || got[19].GUID != "g50" {
			t.Errorf("by order: %d entries, %v", len(got), err)
		}
		n, err := s.Entries.ExpireEntries(t.Context(), harbour, 0)
		if err != nil || n != 20 {
			t.Errorf("expired %d, %v; want 20", n, err)
		}
		if _, err := s.Entries.EntryByGUID(t.Context(), harbour, "g19"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("g19 after expiry: %v", err)
		}
		if _, err := s.Entries.EntryByGUID(t.Context(), harbour, "g20"); err != nil {
			t.Errorf("g20 after expiry: %v", err)
		}
		if n, err := s.Entries.ExpireEntries(t.Context(), harbour, 0); n != 0 || err != nil {
			t.Errorf("a second expiry deleted %d, %v", n, err)
		}
	})
}

func TestDeletedEntryLeavesNoKeys(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		e := entry("g1", "One", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		if err := s.Entries.DeleteEntry(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		if n := raw.Int("EXISTS", e.ID, harbour+":sort", harbour+":guidmap"); n != 0 {
			t.Errorf("%d keys are left", n)
		}
		if err := s.Entries.DeleteEntry(t.Context(), e.ID); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("deleting it again gave %v", err)
		}
	})
}

func TestUpdateOrCreateChangesTheGivenFields(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, raw *storetest.Redigo) {
		fields := map[string]string{"timestamp": "1795176000", "title": "One", "author": "Ada", "mood": "calm"}
		first, created, err := s.Entries.UpdateOrCreateEntry(t.Context(), harbour, "g1", fields)
		if err != nil || !created || first.ID != raw.Entry(1) {
			t.Fatalf("first: %+v, %v, %v", first, created, err)
		}
		second, created, err := s.Entries.UpdateOrCreateEntry(t.Context(), harbour, "g1", map[string]string{"title": "Two", "mood": ""})
		if err != nil || created || second.ID != first.ID {
			t.Fatalf("second: %+v, %v, %v", second, created, err)
		}
		got, err := s.Entries.Entry(t.Context(), first.ID)
		if err != nil || got.Title != "Two" || len(got.Extra) != 0 || !cmp.Equal(got.Authors, []string{"Ada"}) {
			t.Errorf("stored: %+v, %v", got, err)
		}
		want := map[string]feed.Change{"title": {From: "One", To: "Two"}, "mood": {From: "calm"}}
		if all := signals(t, s); len(all) != 2 || !cmp.Equal(all[1].Changed, want) {
			t.Errorf("signals: %+v", all)
		}
		if _, _, err := s.Entries.UpdateOrCreateEntry(t.Context(), harbour, "g2", map[string]string{"title": "x"}); !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("creating without timestamp gave %v", err)
		}
	})
}

func TestEntriesBetweenGUIDs(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		for i := range 6 {
			e := entry(fmt.Sprint("g", i), "Tide", now.Time.Add(time.Duration(i)*time.Minute))
			if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			before, after string
			limit         int
			want          []string
		}{
			{"", "", 2, []string{"g5", "g4"}},
			{"", "", 50, []string{"g5", "g4", "g3", "g2", "g1", "g0"}},
			{"g4", "", 2, []string{"g3", "g2"}},
			{"g1", "", 2, []string{"g0"}},
			{"g0", "", 2, nil},
			{"", "g1", 2, []string{"g3", "g2"}}, // the oldest after g1, so that paging towards the newest skips none
			{"", "g3", 9, []string{"g5", "g4"}},
			{"", "g5", 2, nil},
			{"g4", "g1", 9, []string{"g3", "g2"}},
			{"g5", "g1", 2, []string{"g3", "g2"}},
			{"g1", "g4", 9, nil},
		} {
			all, err := s.Entries.EntriesBetween(t.Context(), harbour, c.before, c.after, c.limit)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range all {
				got = append(got, all[i].GUID)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%d before %q and after %q (-want +got):\n%s", c.limit, c.before, c.after, diff)
			}
		}
		for _, c := range [][2]string{{"none", ""}, {"", "none"}} {
			if _, err := s.Entries.EntriesBetween(t.Context(), harbour, c[0], c[1], 2); !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("around what is not there: %v", err)
			}
		}
	})
}

func TestEntriesPageSurvivesNewEntries(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		ctx := t.Context()
		for i := range 5 { // three in one second
			e := entry(fmt.Sprint("g", i), "Title", now.Time.Add(time.Duration(i/3)*time.Second))
			if err := s.Entries.SaveEntry(ctx, &e); err != nil {
				t.Fatal(err)
			}
		}
		var guids []string
		for from := (feed.Cursor{}); ; {
			page, following, err := s.Entries.EntriesPage(ctx, harbour, from, 2)
			if err != nil || len(page) > 2 {
				t.Fatalf("%d entries, %v", len(page), err)
			}
			for i := range page {
				guids = append(guids, page[i].GUID)
			}
			if from = following; from.IsZero() {
				break
			}
			e := entry(fmt.Sprint("new", len(guids)), "Title", now.Time.Add(time.Minute))
			if err := s.Entries.SaveEntry(ctx, &e); err != nil {
				t.Fatal(err)
			}
		}
		if want := []string{"g4", "g3", "g2", "g1", "g0"}; !slices.Equal(guids, want) {
			t.Errorf("entries are %v, want %v", guids, want)
		}
	})
}
