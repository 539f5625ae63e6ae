package store_test

import (
	"flag"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// shared is the cluster that each runs its tests on.
var shared storetest.Shared

func TestMain(m *testing.M) {
	shared.M = m
	goleak.VerifyTestMain(&shared, storetest.IgnoreLines())
}

const harbour = "http://harbour.example/feed.xml"

// clock is a time that a test sets.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time          { return c.now }
func (c *clock) Advance(d time.Duration) { c.now = c.now.Add(d) }

func newClock() *clock { return &clock{time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)} }

func entry(guid, title string, at time.Time) feed.Entry {
	return feed.Entry{
		FeedURL: harbour, GUID: guid, Timestamp: at, Title: title, Link: "http://harbour.example/" + guid,
		Content: "<p>" + title + "</p>", Authors: []string{"Ada", "Grace"}, Published: at,
	}
}

// claim adds the source and claims it.
func claim(t testing.TB, s *store.Store) feed.Claim {
	t.Helper()
	if _, _, err := s.AddSource(t.Context(), feed.Source{URL: harbour, Feeds: []string{"production"}}); err != nil {
		t.Fatal(err)
	}
	claims, err := s.ClaimSources(t.Context(), 1, time.Minute)
	if err != nil || len(claims) != 1 {
		t.Fatalf("claimed %d sources, %v", len(claims), err)
	}
	return claims[0]
}

// kinds are the kinds of all signals kept.
func kinds(t *testing.T, s *store.Store) (all []feed.SignalKind) {
	t.Helper()
	signals, err := s.Signals(t.Context(), "", 1000, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range signals {
		all = append(all, sig.Kind)
	}
	return all
}

// partitioned makes the tests run on a store in parts, instead of one as the seeds have it.
var partitioned = flag.Bool("partitioned", false, "run on stores in parts, on one Redis")

// engines is storetest.Engines, but for stores in parts: the server in memory is none for them.
func engines(t *testing.T, test func(t *testing.T, dial store.DialFunc)) {
	t.Helper()
	if *partitioned {
		test(t, storetest.Redis(t))
		return
	}
	storetest.Engines(t, test)
}

// open makes a store of the layout that is tested.
func open(tb storetest.TB, opts store.Options) *store.Store {
	tb.Helper()
	opts.Partitioned = *partitioned
	return storetest.New(tb, opts)
}

// commands are raw commands for a store without prefix.
func commands(tb storetest.TB, dial store.DialFunc) *storetest.Redigo {
	tb.Helper()
	if *partitioned {
		return storetest.InParts(tb, "", harbour, dial)
	}
	return storetest.Commands(tb, dial)
}

// each runs a test on each engine, and in a cluster in one slot and in parts, with a store, its clock and raw commands.
func each(t *testing.T, test func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo)) {
	t.Helper()
	run := func(t *testing.T, options store.Options, raw *storetest.Redigo) {
		now := newClock()
		// The server in memory answers one caller at a time, slowly under the race detector; a time-out is not what is tested.
		options.Now, options.Timeout = now.Now, 20*time.Second
		test(t, storetest.New(t, options), now, raw)
		raw.Check([]string{"production", "development"}, feed.ImportAfter)
	}
	engines(t, func(t *testing.T, dial store.DialFunc) {
		run(t, store.Options{Dial: dial, Partitioned: *partitioned}, commands(t, dial))
	})
	if *partitioned {
		return
	}
	t.Run("cluster", func(t *testing.T) {
		options, raw := shared.Place(t)
		run(t, options, raw)
	})
	t.Run("parts", func(t *testing.T) {
		options, raw := shared.Spread(t, harbour)
		run(t, options, raw)
	})
}
