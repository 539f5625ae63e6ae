package store_test

import (
	"testing"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The helpers of the tests of all nouns.
var (
	each     = storetest.EachStore
	open     = storetest.OpenStore
	commands = storetest.HarbourCommands
	entry    = storetest.Entry
	claim    = storetest.Claim
	kinds    = storetest.SignalKinds
)

const harbour = storetest.Harbour

type clock = storetest.Clock

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
