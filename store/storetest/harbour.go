package storetest

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Harbour is the source of most tests.
const Harbour = "http://harbour.example/feed.xml"

// EachStore is Each with a store.
func EachStore(t *testing.T, test func(t *testing.T, s *store.Store, now *Clock, raw *Redigo)) {
	t.Helper()
	Each(t, func(t *testing.T, opts core.Options, now *Clock, raw *Redigo) { test(t, New(t, opts), now, raw) })
}

// OpenStore is New in the layout under test.
func OpenStore(tb TB, opts store.Options) *store.Store {
	tb.Helper()
	opts.Sharded = *sharded
	return New(tb, opts)
}

// HarbourCommands returns raw commands for a store without prefix in the layout under test.
func HarbourCommands(tb TB, dial core.DialFunc) *Redigo {
	tb.Helper()
	if *sharded {
		return InShards(tb, "", Harbour, dial)
	}
	return Commands(tb, dial)
}

// Entry returns an entry of Harbour by two authors.
func Entry(guid, title string, at time.Time) feed.Entry {
	return feed.Entry{
		FeedURL: Harbour, GUID: guid, Timestamp: at, Title: title, Link: "http://harbour.example/" + guid,
		Content: "<p>" + title + "</p>", Authors: []string{"Ada", "Grace"}, Published: at,
	}
}

// Claim adds Harbour and claims it.
func Claim(tb testing.TB, s *store.Store) feed.Claim {
	tb.Helper()
	if _, _, err := s.Sources.AddSource(tb.Context(), feed.Source{URL: Harbour, Feeds: []string{"production"}}); err != nil {
		tb.Fatal(err)
	}
	claims, err := s.Sources.ClaimSources(tb.Context(), 1, time.Minute)
	if err != nil || len(claims) != 1 {
		tb.Fatalf("claimed %d sources, %v", len(claims), err)
	}
	return claims[0]
}

// SignalKinds returns the kinds of all signals, oldest first.
func SignalKinds(tb testing.TB, s *store.Store) (all []feed.SignalKind) {
	tb.Helper()
	signals, err := s.Signals.Signals(tb.Context(), "", 1000, 0)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range signals {
		all = append(all, signals[i].Kind)
	}
	return all
}
