package entry_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// shared is the cluster of all tests.
var shared storetest.Shared

func TestMain(m *testing.M) {
	shared.M = m
	goleak.VerifyTestMain(&shared, storetest.IgnoreLines())
}

const harbour = "http://harbour.example/feed.xml"

type clock = storetest.Clock

// each runs a test on each engine and in each layout. The store is the whole one: entries need sources and signals.
func each(t *testing.T, test func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo)) {
	t.Helper()
	shared.Each(t, harbour, func(t *testing.T, o core.Options, now *clock, raw *storetest.Redigo) {
		opts := store.Options{URL: o.URL, Dial: o.Dial, Prefix: o.Prefix, Sharded: o.Sharded, Now: o.Now, Timeout: o.Timeout}
		test(t, storetest.New(t, opts), now, raw)
	})
}

// open opens a store in the layout under test.
func open(tb storetest.TB, opts store.Options) *store.Store {
	tb.Helper()
	opts.Sharded = storetest.Sharded()
	return storetest.New(tb, opts)
}

func entry(guid, title string, at time.Time) feed.Entry {
	return feed.Entry{
		FeedURL: harbour, GUID: guid, Timestamp: at, Title: title, Link: "http://harbour.example/" + guid,
		Content: "<p>" + title + "</p>", Authors: []string{"Ada", "Grace"}, Published: at,
	}
}

// linked returns an entry with the aliases of its guid and link.
func linked(guid, title string, at time.Time) feed.Entry {
	e := entry(guid, title, at)
	e.Aliases = []string{feed.GUIDAlias(guid, false), feed.LinkAlias(e.Link)}
	return e
}

// claim adds the source and claims it.
func claim(tb testing.TB, s *store.Store) feed.Claim {
	tb.Helper()
	if _, _, err := s.Sources.AddSource(tb.Context(), feed.Source{URL: harbour, Feeds: []string{"production"}}); err != nil {
		tb.Fatal(err)
	}
	claims, err := s.Sources.ClaimSources(tb.Context(), 1, time.Minute)
	if err != nil || len(claims) != 1 {
		tb.Fatalf("claimed %d sources, %v", len(claims), err)
	}
	return claims[0]
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
	if err := s.Sources.FinishPoll(t.Context(), c, feed.PollResult{State: state}); err != nil {
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
