package article_test

import (
	"crypto/rand"
	"testing"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const harbour = storetest.Harbour

var types = []string{"production", "development"}

// each runs a test on each engine and in each layout.
func each(t *testing.T, test func(t *testing.T, s *article.Store, now *storetest.Clock, raw *storetest.Redigo)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		test(t, article.New(storetest.DB(t, opts)), now, raw)
	})
}

// save saves an article with a guid and a digest, and returns its uuid.
func save(t *testing.T, s *article.Store, guid, digest string) string {
	t.Helper()
	uuid := feed.ArticleUUID(harbour, guid)
	_, err := s.SaveArticle(t.Context(), feed.Article{
		UUID: uuid, FeedURL: harbour, GUID: guid, Entry: "Entry:1", Title: "Title of " + guid, Canonical: "http://x/" + guid,
		Authors: []string{"Ada"}, Content: "<p>" + digest + "</p>", Digest: digest, Published: storetest.NewClock().Time,
	})
	if err != nil {
		t.Fatal(err)
	}
	return uuid
}

// decide publishes or withdraws an article in the feed production.
func decide(t *testing.T, s *article.Store, id, uuid string, publish bool, seen feed.SeenState) feed.DecisionResult {
	t.Helper()
	return decideIn(t, s, id, feed.Decision{UUID: uuid, Type: "production", Publish: publish, Seen: seen})
}

func decideIn(t *testing.T, s *article.Store, id string, d feed.Decision) feed.DecisionResult {
	t.Helper()
	done, err := s.Decide(t.Context(), id, []feed.Decision{d})
	if err != nil || len(done) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	return done[0]
}

// publish publishes an article, whatever its state.
func publish(t *testing.T, s *article.Store, uuid, typ string) feed.Transition {
	t.Helper()
	return succeeds(t, decideIn(t, s, rand.Text(), feed.Decision{UUID: uuid, Type: typ, Publish: true}))
}

// withdraw withdraws a published article.
func withdraw(t *testing.T, s *article.Store, uuid, typ string) feed.Transition {
	t.Helper()
	return succeeds(t, decideIn(t, s, rand.Text(), feed.Decision{UUID: uuid, Type: typ}))
}

func succeeds(t *testing.T, done feed.DecisionResult) feed.Transition {
	t.Helper()
	if done.Err != nil {
		t.Fatal(done.Err)
	}
	return done.Transition
}

func undo(t *testing.T, s *article.Store, id string) feed.DecisionResult {
	t.Helper()
	done, err := s.Undo(t.Context(), id)
	if err != nil || len(done) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	return done[0]
}

func placement(t *testing.T, s *article.Store, uuid, typ string) feed.Placement {
	t.Helper()
	a, err := s.Article(t.Context(), uuid, types)
	if err != nil {
		t.Fatal(err)
	}
	return a.Feeds[typ]
}

// seen is the state of an article in the feed production.
func seen(t *testing.T, s *article.Store, uuid string) feed.SeenState {
	t.Helper()
	p := placement(t, s, uuid, "production")
	return feed.SeenState{State: p.State, Revision: p.Revision}
}

// record records one fetch of the feed production with the given articles.
func record(t *testing.T, s *article.Store, id string, shown ...feed.Impression) feed.ImpressionResult {
	t.Helper()
	return recordAll(t, s, "production", feed.ImportAfter, feed.Fetches{Shown: shown, All: []feed.Fetch{{ID: id, Times: 1}}})
}

func recordAll(t *testing.T, s *article.Store, typ string, retireAfter int, fetches feed.Fetches) feed.ImpressionResult {
	t.Helper()
	result, err := s.RecordImpressions(t.Context(), typ, fetches, retireAfter)
	if err != nil {
		t.Fatal(err)
	}
	return result
}
