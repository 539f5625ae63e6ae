package signal_test

import (
	"fmt"
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

// each runs a test on each engine and in each layout, with the whole store: it needs signals to read.
func each(t *testing.T, test func(t *testing.T, s *store.Store, now *storetest.Clock, raw *storetest.Redigo)) {
	t.Helper()
	shared.Each(t, harbour, func(t *testing.T, o core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		opts := store.Options{URL: o.URL, Dial: o.Dial, Prefix: o.Prefix, Sharded: o.Sharded, Now: o.Now, Timeout: o.Timeout}
		test(t, storetest.New(t, opts), now, raw)
	})
}

// open opens a store in the layout under test.
func open(t *testing.T, opts store.Options) *store.Store {
	t.Helper()
	opts.Sharded = storetest.Sharded()
	return storetest.New(t, opts)
}

// claim adds the harbour and claims it, which appends a signal of kind feed_created.
func claim(t *testing.T, s *store.Store) feed.Claim {
	t.Helper()
	if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour, Feeds: []string{"production"}}); err != nil {
		t.Fatal(err)
	}
	claims, err := s.Sources.ClaimSources(t.Context(), 1, time.Minute)
	if err != nil || len(claims) != 1 {
		t.Fatalf("claimed %d sources, %v", len(claims), err)
	}
	return claims[0]
}

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
