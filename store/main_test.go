package store_test

import (
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

// each runs a test on each engine, and in a cluster, with a store, its clock and raw commands.
func each(t *testing.T, test func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo)) {
	t.Helper()
	storetest.Engines(t, func(t *testing.T, dial store.DialFunc) {
		now := newClock()
		// The server in memory answers one caller at a time, slowly under the race detector; a time-out is not what is tested.
		s := storetest.New(t, store.Options{Dial: dial, Now: now.Now, Timeout: 20 * time.Second})
		test(t, s, now, storetest.Commands(t, dial))
		storetest.Check(t, dial, []string{"production", "development"}, feed.ImportAfter)
	})
	t.Run("cluster", func(t *testing.T) {
		now := newClock()
		options, raw := shared.Place(t)
		options.Now, options.Timeout = now.Now, 20*time.Second
		test(t, storetest.New(t, options), now, raw)
		raw.Check([]string{"production", "development"}, feed.ImportAfter)
	})
}
