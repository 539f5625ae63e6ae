package articles_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/desk/articles"
	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newDesk returns a desk with articles over a newsroom.
func newDesk(t *testing.T, change ...func(*articles.Options)) (*webtest.Desk, *storetest.Newsroom) {
	t.Helper()
	n := storetest.NewNewsroom(t)
	d := webtest.Over(n, n.Clock.Now)
	mount(d, n, change...)
	return d, n
}

// mount makes a desk serve the articles of a store.
func mount(d *webtest.Desk, store articles.Store, change ...func(*articles.Options)) {
	opts := articles.Options{
		Feeds:   feed.OutgoingFeeds{{Type: "production", RetireAfter: feed.ImportAfter}, {Type: "development", RetireAfter: feed.ImportAfter}},
		Verdict: func(*feed.Article, string, func() (feed.Article, error)) (string, error) { return "", nil },
		Preview: func(_ context.Context, _ feed.Article, typ string) (placement.Preview, error) {
			return placement.Preview{Feed: typ}, nil
		},
		Promote:      func(context.Context, string) (string, error) { return "", feed.ErrNotFound },
		ImageURL:     func(address string) string { return "/image?" + address },
		OnTransition: func(string, feed.State, feed.State) {},
	}
	for _, c := range change {
		c(&opts)
	}
	d.Mount(articles.New(store, d.Kit, opts))
}

// placed returns the placement of an article of the newsroom in the feed production.
func placed(t *testing.T, n *storetest.Newsroom, post int) feed.Placement {
	t.Helper()
	a, err := n.Article(t.Context(), storetest.Post(post), []string{"production"})
	if err != nil {
		t.Fatal(err)
	}
	return a.Feeds["production"]
}
