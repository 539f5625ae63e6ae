package entry_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The helpers of the tests of all nouns.
var (
	each  = storetest.EachStore
	open  = storetest.OpenStore
	entry = storetest.Entry
	claim = storetest.Claim
)

const harbour = storetest.Harbour

type clock = storetest.Clock

// linked returns an entry with the aliases of its guid and link.
func linked(guid, title string, at time.Time) feed.Entry {
	e := entry(guid, title, at)
	e.Aliases = []string{feed.GUIDAlias(guid, false), feed.LinkAlias(e.Link)}
	return e
}

// known returns a claim on a source whose previous document had ten entries.
func known(t *testing.T, s *store.Store, now *clock) feed.Claim {
	t.Helper()
	c := claim(t, s)
	c.Source.Poll.LastDocument, c.Source.Poll.Entries = now.Time.Add(-time.Hour), 10
	return c
}

// save saves a document.
func save(tb testing.TB, s *store.Store, c feed.Claim, doc feed.Document) feed.Saved {
	tb.Helper()
	saved, err := s.Entries.SaveEntries(tb.Context(), c, doc)
	if err != nil {
		tb.Fatal(err)
	}
	return saved
}

// finish ends the poll of the source and claims it again.
func finish(t *testing.T, s *store.Store, c feed.Claim, state feed.PollState) feed.Claim {
	t.Helper()
	if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: state}); err != nil {
		t.Fatal(err)
	}
	claims, err := s.Sources.ClaimSources(t.Context(), 1, time.Minute)
	if err != nil || len(claims) != 1 {
		t.Fatalf("claimed %d sources, %v", len(claims), err)
	}
	return claims[0]
}

// signals returns all signals.
func signals(t *testing.T, s *store.Store) []feed.Signal {
	t.Helper()
	all, err := s.Signals.Signals(t.Context(), "", 1000, 0)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
