package store_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
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

type clock = storetest.Clock

func entry(guid, title string, at time.Time) feed.Entry {
	return feed.Entry{
		FeedURL: harbour, GUID: guid, Timestamp: at, Title: title, Link: "http://harbour.example/" + guid,
		Content: "<p>" + title + "</p>", Authors: []string{"Ada", "Grace"}, Published: at,
	}
}

// claim adds the source and claims it.
func claim(t testing.TB, s *store.Store) feed.Claim {
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

// kinds are the kinds of all signals kept.
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

// open makes a store of the layout under test.
func open(tb storetest.TB, opts store.Options) *store.Store {
	tb.Helper()
	opts.Sharded = storetest.Sharded()
	return storetest.New(tb, opts)
}

// commands are raw commands for a store without prefix.
func commands(tb storetest.TB, dial store.DialFunc) *storetest.Redigo {
	tb.Helper()
	if storetest.Sharded() {
		return storetest.InShards(tb, "", harbour, dial)
	}
	return storetest.Commands(tb, dial)
}

// each runs a test on each engine and in each layout.
func each(t *testing.T, test func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo)) {
	t.Helper()
	shared.Each(t, harbour, func(t *testing.T, o core.Options, now *clock, raw *storetest.Redigo) {
		opts := store.Options{URL: o.URL, Dial: o.Dial, Prefix: o.Prefix, Sharded: o.Sharded, Now: o.Now, Timeout: o.Timeout}
		test(t, storetest.New(t, opts), now, raw)
	})
}

var types = []string{"production", "development"}

// oneFetch is a single fetch.
func oneFetch(id string, shown []feed.Impression) feed.Fetches {
	return feed.Fetches{Shown: shown, All: []feed.Fetch{{ID: id, Times: 1}}}
}

// article saves an article with a guid and a digest, and returns its uuid.
func article(t *testing.T, s *store.Store, guid, digest string) string {
	t.Helper()
	uuid := feed.ArticleUUID(harbour, guid)
	_, err := s.Articles.SaveArticle(t.Context(), feed.Article{
		UUID: uuid, FeedURL: harbour, GUID: guid, Entry: "Entry:1", Title: "Title of " + guid, Canonical: "http://x/" + guid,
		Authors: []string{"Ada"}, Content: "<p>" + digest + "</p>", Digest: digest, Published: storetest.NewClock().Time,
	})
	if err != nil {
		t.Fatal(err)
	}
	return uuid
}

func placement(t *testing.T, s *store.Store, uuid, typ string) feed.Placement {
	t.Helper()
	a, err := s.Articles.Article(t.Context(), uuid, types)
	if err != nil {
		t.Fatal(err)
	}
	return a.Feeds[typ]
}
