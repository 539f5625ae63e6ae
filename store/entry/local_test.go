package entry_test

import (
	"errors"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

var notes = feed.LocalURL("notes")

// local adds the local source notes and returns an entry of it.
func local(t *testing.T, s *store.Store, guid string, at time.Time) feed.Entry {
	t.Helper()
	if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: notes}); err != nil {
		t.Fatal(err)
	}
	e := entry(guid, "Note", at)
	e.FeedURL = notes
	return e
}

func TestEntryOfARemovedLocalSourceIsNotSaved(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		e := local(t, s, "1", now.Time)
		if err := s.Sources.RemoveSource(t.Context(), feed.SourceID(notes), 0); err != nil {
			t.Fatal(err)
		}
		if err := s.Entries.SaveEntry(t.Context(), &e); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("saving gave %v", err)
		}
		if _, _, err := s.Entries.UpdateOrCreateEntry(t.Context(), notes, "1", e.Fields()); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("updating or creating gave %v", err)
		}
	})
}

func TestEntryIsSavedOnlyIfItIsAsItWasSeen(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		e := local(t, s, "1", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		seen, mine, theirs := e.Digest(), e, e
		mine.Title, theirs.Title = "Mine", "Theirs"
		for range 2 { // a repetition is no conflict with itself
			if err := s.Entries.SaveSeenEntry(t.Context(), &mine, seen); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Entries.SaveSeenEntry(t.Context(), &theirs, seen); !errors.Is(err, feed.ErrChanged) {
			t.Errorf("the second of two edits gave %v", err)
		}
		if got, err := s.Entries.EntryByGUID(t.Context(), notes, "1"); err != nil || got.Title != "Mine" {
			t.Errorf("got %q, %v", got.Title, err)
		}
		if all := signals(t, s); len(all) != 3 || all[2].Kind != feed.PostModified {
			t.Errorf("signals are %+v", all)
		}
	})
}

func TestExpiredGUIDOfALocalSourceCanBeWrittenAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		for _, guid := range []string{"1", "2", "3"} {
			e := local(t, s, guid, now.Time)
			if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
				t.Fatal(err)
			}
			now.Advance(time.Hour)
		}
		if n, err := s.Entries.ExpireEntries(t.Context(), notes, 1); n != 2 || err != nil {
			t.Fatalf("expired %d, %v", n, err)
		}
		again := local(t, s, "1", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &again); err != nil {
			t.Fatal(err)
		}
		if all, err := s.Entries.Entries(t.Context(), notes, 10); err != nil || len(all) != 2 || all[0].ID != again.ID {
			t.Errorf("got %+v, %v", all, err)
		}
	})
}

func TestDefaultRetentionSparesLocalSources(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		for _, guid := range []string{"1", "2"} {
			e := local(t, s, guid, now.Time)
			if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
				t.Fatal(err)
			}
			now.Advance(1000 * time.Hour)
		}
		src := feed.Source{URL: notes}
		short := feed.Keep{Entries: 1, For: feed.Duration(time.Hour)}
		if n, err := s.Entries.ExpireSource(t.Context(), &src, short); n != 0 || err != nil {
			t.Errorf("the default expired %d, %v", n, err)
		}
		src.Keep = short
		if n, err := s.Entries.ExpireSource(t.Context(), &src, feed.Keep{}); n != 2 || err != nil {
			t.Errorf("its own setting expired %d, %v", n, err)
		}
	})
}

func TestHiddenEntryIsInNoListAndIsNotSignalled(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		ctx, e := t.Context(), local(t, s, "1", now.Time)
		ref := func() feed.EntryRef { return feed.EntryRef{FeedURL: notes, ID: e.ID} }
		listed := func(what string, want int) {
			t.Helper()
			all, err := s.Entries.Entries(ctx, notes, 0)
			found, failed := s.Entries.HeadlinesByID(ctx, []string{e.ID})
			if err != nil || failed != nil || len(all) != want || len(found) != want {
				t.Errorf("%s, the source lists %v, by id there is %v, %v, %v", what, all, found, err, failed)
			}
		}
		err := s.Entries.SaveEntry(ctx, &e)
		if err == nil {
			err = s.Entries.HideEntry(ctx, ref())
		}
		listed("hidden", 0)
		said := len(signals(t, s))
		e.Title = "Edited"
		if err == nil {
			err = s.Entries.SaveEntry(ctx, &e)
		}
		listed("edited", 0)
		if all := signals(t, s); len(all) != said {
			t.Errorf("an edit of a hidden entry is signalled: %+v", all[said:])
		}
		for range 2 { // it is repeatable
			if err == nil {
				err = s.Entries.ShowEntry(ctx, ref())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		listed("restored", 1)
		if got, err := s.Entries.Entry(ctx, e.ID); err != nil || got.Title != "Edited" || got.Hidden {
			t.Errorf("restored, it is %+v, %v", got, err)
		}
		if err := s.Entries.HideEntry(ctx, feed.EntryRef{FeedURL: notes, ID: "Entry:999"}); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("hiding no entry gave %v", err)
		}
	})
}
