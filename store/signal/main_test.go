package signal_test

import (
	"fmt"
	"testing"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The helpers of the tests of all nouns.
var (
	each  = storetest.EachStore
	open  = storetest.OpenStore
	claim = storetest.Claim
)

const harbour = storetest.Harbour

// save saves entries g0, g1, … with the titles T0, T1, …, each with a signal.
func save(t *testing.T, s *store.Store, now *storetest.Clock, count int) {
	t.Helper()
	for i := range count {
		e := feed.Entry{FeedURL: harbour, GUID: fmt.Sprint("g", i), Timestamp: now.Time, Title: fmt.Sprint("T", i), Content: fmt.Sprintf("<p>T%d</p>", i)}
		if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
	}
}
