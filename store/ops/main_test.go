package ops_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const harbour = storetest.Harbour

// save adds the source, claims it, and saves entries.
func save(tb testing.TB, s *store.Store, entries []feed.Entry) {
	tb.Helper()
	if _, _, err := s.Sources.AddSource(tb.Context(), feed.Source{URL: harbour, Feeds: []string{"production"}}); err != nil {
		tb.Fatal(err)
	}
	claims, err := s.Sources.ClaimSources(tb.Context(), 1, time.Minute)
	if err != nil || len(claims) != 1 {
		tb.Fatalf("claimed %d sources, %v", len(claims), err)
	}
	const batch = 500
	for ; len(entries) > 0; entries = entries[min(batch, len(entries)):] {
		if _, err := s.Entries.SaveEntries(tb.Context(), claims[0], feed.Document{Entries: entries[:min(batch, len(entries))]}); err != nil {
			tb.Fatal(err)
		}
	}
}
