package ops_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// copiesOf returns copies of a store in other layouts and places, and one from a backup.
func copiesOf(t *testing.T, first *store.Store) map[string]*store.Store {
	t.Helper()
	copied := func(from *store.Store, opts store.Options) *store.Store {
		t.Helper()
		opts.Dial = storetest.Redis(t)
		to := storetest.New(t, opts)
		if m, err := from.Ops.CopyTo(t.Context(), to.Ops, false, func(int, int) {}); err != nil || m.Same != m.Keys {
			t.Fatalf("copied %+v, %v", m, err)
		}
		return to
	}
	sharded := copied(first, store.Options{Sharded: true})
	restored := storetest.New(t, store.Options{Dial: storetest.Redis(t)})
	if _, err := restored.Ops.RestoreBackup(t.Context(), bytes.NewReader(backup(t, first)), false); err != nil {
		t.Fatal(err)
	}
	return map[string]*store.Store{
		"sharded": sharded, "back": copied(sharded, store.Options{}), "prefix": copied(first, store.Options{Prefix: "news:"}), "restored": restored,
	}
}

// Entries that were taken down stay away in a copy of a store, and local sources keep theirs.
func TestTakedownsAndLocalEntriesSurviveBackupAndCopies(t *testing.T) {
	t.Parallel()
	first := storetest.New(t, store.Options{Dial: storetest.Redis(t)})
	if err := first.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	now, notes := time.Now().Truncate(time.Second), feed.LocalURL("notes")
	posts := []feed.Entry{
		{FeedURL: harbour, GUID: "secret", Title: "Secret", Timestamp: now}, {FeedURL: harbour, GUID: "other", Title: "Other", Timestamp: now},
	}
	save(t, first, posts)
	if _, _, err := first.Sources.AddSource(t.Context(), feed.Source{URL: notes}); err != nil {
		t.Fatal(err)
	}
	for _, guid := range []string{"kept", "gone"} {
		if err := first.Entries.SaveEntry(t.Context(), &feed.Entry{FeedURL: notes, GUID: guid, Title: guid, Timestamp: now}); err != nil {
			t.Fatal(err)
		}
	}
	for url, guid := range map[string]string{harbour: "secret", notes: "gone"} {
		e, err := first.Entries.EntryByGUID(t.Context(), url, guid)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := first.Entries.TakeDownEntry(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range copiesOf(t, first) {
		src, err := s.Sources.SourceByURL(t.Context(), harbour)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := s.Entries.SaveEntries(t.Context(), feed.Claim{Source: src}, feed.Document{Entries: posts}); err != nil { // it lists both
			t.Fatalf("%s: %v", name, err)
		}
		for _, want := range []struct {
			url, guid string
			there     bool
		}{{harbour, "secret", false}, {harbour, "other", true}, {notes, "gone", false}, {notes, "kept", true}} {
			_, err := s.Entries.EntryByGUID(t.Context(), want.url, want.guid)
			if want.there && err != nil || !want.there && !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("%s: %s of %s: %v", name, want.guid, want.url, err)
			}
		}
		for _, url := range []string{harbour, notes} {
			if deleted, err := s.Entries.Deleted(t.Context(), url); err != nil || len(deleted) != 1 {
				t.Errorf("%s: the deleted entries of %s are %v, %v", name, url, deleted, err)
			}
		}
		again := feed.Entry{FeedURL: notes, GUID: "gone", Title: "Again", Timestamp: now}
		if err := s.Entries.SaveEntry(t.Context(), &again); err != nil {
			t.Errorf("%s: written again: %v", name, err)
		}
	}
}
