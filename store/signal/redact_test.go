package signal_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSignalsWithTextsOfATakedownAreDeleted(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *storetest.Clock, raw *storetest.Redigo) {
		save(t, s, now, 3)
		edit := func(guid, title string) {
			t.Helper()
			e, err := s.Entries.EntryByGUID(t.Context(), harbour, guid)
			if err != nil {
				t.Fatal(err)
			}
			if e.Title = title; s.Entries.SaveEntry(t.Context(), &e) != nil {
				t.Fatal("not saved")
			}
		}
		for n := range 600 { // with the others, more than one page
			edit("g1", fmt.Sprint("secret ", n))
			edit("g2", fmt.Sprint("title ", n))
		}
		read := func(limit int) []feed.Signal {
			t.Helper()
			all, err := s.Signals.NextSignals(t.Context(), "desk", "d1", limit, 0)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		removed := func(one feed.Signal) bool { return one.GUID == "g1" && one.Kind == feed.PostModified }
		pending := len(slices.DeleteFunc(read(10), removed)) // none is acknowledged
		e, err := s.Entries.EntryByGUID(t.Context(), harbour, "g1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Entries.TakeDownEntry(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		all, err := s.Signals.BareSignals(t.Context(), "", 2000, 0)
		if err != nil {
			t.Fatal(err)
		}
		deleted := all[len(all)-1]
		if deleted.Kind != feed.PostDeleted {
			t.Fatalf("the last signal is %+v", deleted)
		}
		for range 2 {
			if err := s.Signals.RemoveChanges(t.Context(), []feed.Signal{deleted}); err != nil {
				t.Fatal(err)
			}
		}
		rest, err := s.Signals.BareSignals(t.Context(), "", 2000, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(all), removed)
		ids := func(all []feed.Signal) (ids []string) {
			for i := range all {
				ids = append(ids, all[i].ID)
			}
			return ids
		}
		if !slices.Equal(ids(rest), ids(want)) || len(all)-len(rest) != 600 {
			t.Errorf("%d of %d signals are left, want %d", len(rest), len(all), len(want))
		}
		if all := raw.Do("XPENDING", "signals", "desk", "-", "+", 20).([]any); len(all) != pending {
			t.Errorf("%d signals are pending, want %d", len(all), pending)
		}
		if next := read(1); len(next) != 1 || next[0].Kind == "" {
			t.Errorf("the next signal is %+v", next)
		}
	})
}
