package entry_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// document returns a document with entries.
func document(entries ...feed.Entry) feed.Document { return feed.Document{Entries: entries} }

func TestTakenDownEntryIsGoneAndSignalled(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		save(t, s, c, document(linked("http://harbour.example/1", "One", now.Time), linked("2", "Two", now.Time)))
		e, err := s.Entries.EntryByGUID(t.Context(), harbour, "http://harbour.example/1")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Entries.TakeDownEntry(t.Context(), e.ID); err != nil || got.Title != "One" {
			t.Fatalf("took down %+v, %v", got, err)
		}
		if _, err := s.Entries.Entry(t.Context(), e.ID); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("the entry gave %v", err)
		}
		if _, err := s.Entries.TakeDownEntry(t.Context(), e.ID); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("a second takedown gave %v", err)
		}
		all := signals(t, s)
		if last := all[len(all)-1]; last.Kind != feed.PostDeleted || last.GUID != e.GUID || last.Entry != e.ID || last.Post != nil {
			t.Errorf("the last signal is %+v", last)
		}
		deleted, err := s.Entries.Deleted(t.Context(), harbour)
		if diff := cmp.Diff([]feed.DeletedEntry{{GUID: e.GUID, Time: now.Time}}, deleted); err != nil || diff != "" {
			t.Errorf("deleted, %v (-want +got):\n%s", err, diff)
		}
		raw.Check(nil, 4)
	})
}

func TestTakenDownEntryIsNotCreatedAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		one := linked("http://harbour.example/1", "One", now.Time)
		save(t, s, c, document(one))
		e, err := s.Entries.EntryByGUID(t.Context(), harbour, one.GUID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Entries.TakeDownEntry(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		now.Advance(48 * time.Hour)
		same, redated, https := one, one, linked("https://www.harbour.example/1/", "One", now.Time)
		redated.Published, redated.Title = now.Time, "One again"
		for name, e := range map[string]feed.Entry{"the same": same, "with a later date": redated, "with another spelling of its guid": https} {
			if got := save(t, s, c, document(e)); got.Created != 0 || got.Dead != 1 {
				t.Errorf("%s: %+v", name, got)
			}
			compared, err := s.Entries.CompareEntries(t.Context(), c.Source, document(e))
			if err != nil || compared[0].Verdict != feed.VerdictTakenDown {
				t.Errorf("%s: %+v, %v", name, compared, err)
			}
		}
		if got := save(t, s, feed.Claim{Source: c.Source}, feed.Document{Entries: []feed.Entry{one}, Partial: true}); got.Created != 0 {
			t.Errorf("a push created %+v", got)
		}
		c.Source.Poll.LastDocument = now.Time.Add(29 * 24 * time.Hour)
		if _, err := s.Entries.ExpireSource(t.Context(), &c.Source, feed.Keep{}); err != nil {
			t.Fatal(err)
		}
		if has, err := s.Entries.HasTakedowns(t.Context(), harbour); !has || err != nil {
			t.Errorf("while it is listed: %v, %v", has, err)
		}
		c.Source.Poll.LastDocument = now.Time.Add(31 * 24 * time.Hour)
		if _, err := s.Entries.ExpireSource(t.Context(), &c.Source, feed.Keep{}); err != nil {
			t.Fatal(err)
		}
		if has, err := s.Entries.HasTakedowns(t.Context(), harbour); has || err != nil {
			t.Errorf("a month after it was listed: %v, %v", has, err)
		}
	})
}

func TestTakenDownEntryIsRecognisedUnderAnotherGUID(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		at := func(guid, link, title string, published time.Time) feed.Entry {
			e := entry(guid, title, now.Time)
			e.Link, e.Published, e.Content = "http://harbour.example/"+link, published, "text of "+title
			e.Aliases = append(e.Aliases, feed.LinkAlias(e.Link))
			return e
		}
		one, two, undated := at("1", "one", "One", now.Time), at("2", "two", "Two", now.Time), at("3", "undated", "Three", time.Time{})
		shared, other := at("4", "", "Four", now.Time), at("5", "", "Five", now.Time)
		save(t, s, c, document(one, two, undated, shared, other))
		for _, guid := range []string{"1", "3", "4"} {
			e, err := s.Entries.EntryByGUID(t.Context(), harbour, guid)
			if err == nil {
				_, err = s.Entries.TakeDownEntry(t.Context(), e.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		retold := at("1b", "moved", "One", now.Time)
		later := now.Time.Add(24 * time.Hour)
		for name, row := range map[string]struct {
			listed feed.Entry
			gone   bool
		}{
			"its link":                               {at("1b", "one?utm_source=x", "One, edited", now.Time.Add(-11*time.Hour)), true},
			"its link and title, without a date":     {at("1b", "one", "One", time.Time{}), true},
			"its texts and date":                     {retold, true},
			"the link and title of one without date": {at("3b", "undated", "Three", later), true},
			"its link on the next day":               {at("1c", "one", "The next one", later), false},
			"its link and another title, undated":    {at("1d", "one", "Another", time.Time{}), false},
			"a link that others have":                {at("4b", "", "Six", now.Time), false},
			"a title and a date that others have":    {at("1e", "else", "Another", now.Time), false},
		} {
			got, err := s.Entries.CompareEntries(t.Context(), c.Source, document(two, other, row.listed))
			if err != nil {
				t.Fatal(err)
			}
			if verdict := got[2].Verdict; (verdict == feed.VerdictTakenDown) != row.gone || !row.gone && verdict != feed.VerdictNew {
				t.Errorf("%s: %s", name, verdict)
			}
		}
		if got := save(t, s, c, document(two, other, retold)); got.Created != 0 || got.Dead != 1 {
			t.Errorf("saved %+v", got)
		}
		raw.Check(nil, 4)
	})
}

// A poll that has compared its document before the takedown, and saves it after.
func TestPollUnderWayDoesNotCreateATakenDownEntry(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		save(t, s, c, document(entry("1", "One", now.Time)))
		e, err := s.Entries.EntryByGUID(t.Context(), harbour, "1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Entries.TakeDownEntry(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		edited := entry("1", "One, edited", now.Time)
		if _, created, err := s.Entries.UpdateOrCreateEntry(t.Context(), harbour, "1", edited.Fields()); created || err != nil {
			t.Errorf("created %v, %v", created, err)
		}
		if n := raw.Int("EXISTS", harbour+":guidmap"); n != 0 {
			t.Error("the entry exists again")
		}
	})
}

func TestTakenDownEntryOfALocalSourceCanBeWrittenAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		e := local(t, s, "1", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Entries.TakeDownEntry(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		again := local(t, s, "1", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &again); err != nil || again.ID == e.ID {
			t.Fatalf("saved %s, %v", again.ID, err)
		}
		if gone, err := s.Entries.IsTakenDown(t.Context(), notes, "1"); gone || err != nil {
			t.Errorf("it is still taken down: %v, %v", gone, err)
		}
		if deleted, err := s.Entries.Deleted(t.Context(), notes); len(deleted) != 0 || err != nil {
			t.Errorf("deleted are %v, %v", deleted, err)
		}
		raw.Check(nil, 4)
	})
}

func TestSignalsDoNotShowWhatChangedInATakenDownEntry(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		e := local(t, s, "1", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		e.Title = "Secret"
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		if all := signals(t, s); all[2].Changed == nil {
			t.Fatalf("before the takedown: %+v", all)
		}
		if _, err := s.Entries.TakeDownEntry(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		for _, one := range signals(t, s) {
			if one.Changed != nil || one.Post != nil {
				t.Errorf("it shows %+v", one)
			}
		}
	})
}

func TestTakedownsOfARemovedSourceAreDeleted(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		e := local(t, s, "1", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Entries.TakeDownEntry(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.Sources.RemoveSource(t.Context(), feed.SourceID(notes), 0); err != nil {
			t.Fatal(err)
		}
		if has, err := s.Entries.HasTakedowns(t.Context(), notes); has || err != nil {
			t.Errorf("after the removal: %v, %v", has, err)
		}
	})
}

func TestSourceThatIsAddedAgainDoesNotBringATakenDownEntryBack(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		posts := document(entry("1", "Secret", now.Time), entry("2", "Other", now.Time))
		saved := func() (guids []string) {
			t.Helper()
			if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Entries.SaveEntries(t.Context(), claim(t, s), posts); err != nil {
				t.Fatal(err)
			}
			all, err := s.Entries.Entries(t.Context(), harbour, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range all {
				guids = append(guids, e.GUID)
			}
			slices.Sort(guids)
			return guids
		}
		if got := saved(); !slices.Equal(got, []string{"1", "2"}) {
			t.Fatalf("saved %v", got)
		}
		e, err := s.Entries.EntryByGUID(t.Context(), harbour, "1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Entries.TakeDownEntry(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.Sources.RemoveSource(t.Context(), feed.SourceID(harbour), 0); err != nil {
			t.Fatal(err)
		}
		if ttl := raw.Int("TTL", harbour+":takedowns"); ttl <= 0 || ttl > 30*24*3600 {
			t.Errorf("the takedowns of the removed source expire in %d s", ttl)
		}
		if got := saved(); !slices.Equal(got, []string{"2"}) {
			t.Errorf("after the source was added again: %v", got)
		}
		if ttl := raw.Int("TTL", harbour+":takedowns"); ttl != -1 {
			t.Errorf("the takedowns of the source expire in %d s", ttl)
		}
	})
}

func TestTakedownsOfALocalSourceAreForgotten(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		e := local(t, s, "1", now.Time)
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Entries.TakeDownEntry(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		src, err := s.Sources.SourceByURL(t.Context(), notes)
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			after time.Duration
			left  bool
		}{{29 * 24 * time.Hour, true}, {2 * 24 * time.Hour, false}} {
			now.Advance(tt.after)
			if _, err := s.Entries.ExpireSource(t.Context(), &src, feed.Keep{}); err != nil {
				t.Fatal(err)
			}
			taken, err := s.Entries.HasTakedowns(t.Context(), notes)
			deleted, failed := s.Entries.Deleted(t.Context(), notes)
			if err != nil || failed != nil || taken != tt.left || len(deleted) > 0 != tt.left {
				t.Errorf("%v later: %v, %v; %v, %v", tt.after, taken, err, deleted, failed)
			}
		}
	})
}
