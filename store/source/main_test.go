package source_test

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

// each runs a test on each engine and in each layout. The store is the whole one: a poll saves entries.
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

// commands are raw commands for a store without prefix.
func commands(tb storetest.TB, dial core.DialFunc) *storetest.Redigo {
	tb.Helper()
	if storetest.Sharded() {
		return storetest.InShards(tb, "", harbour, dial)
	}
	return storetest.Commands(tb, dial)
}

func entry(guid, title string, at time.Time) feed.Entry {
	return feed.Entry{FeedURL: harbour, GUID: guid, Timestamp: at, Title: title, Published: at}
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

// kinds returns the kinds of all signals.
func kinds(t *testing.T, s *store.Store) (all []feed.SignalKind) {
	t.Helper()
	signals, err := s.Signals.Signals(t.Context(), "", 1000, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range signals {
		all = append(all, sig.Kind)
	}
	return all
}
