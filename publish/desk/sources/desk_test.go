package sources_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/desk/sources"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newDesk returns a desk with the sources of a newsroom.
func newDesk(t *testing.T, change ...func(*sources.Options)) (*webtest.Desk, *storetest.Newsroom) {
	t.Helper()
	n := storetest.NewNewsroom(t)
	return deskOver(n, n, change...), n
}

// emptyDesk returns a desk without sources.
func emptyDesk(t *testing.T) (*webtest.Desk, *storetest.Newsroom) {
	t.Helper()
	n := storetest.EmptyNewsroom(t)
	return deskOver(n, n), n
}

// deskOver returns a desk with the sources of another store than the newsroom.
func deskOver(n *storetest.Newsroom, store sources.Store, change ...func(*sources.Options)) *webtest.Desk {
	opts := sources.Options{
		Feeds:       feed.OutgoingFeeds{{Type: "production"}, {Type: "development"}},
		Republished: func(string) []string { return nil },
		Pace:        func(*feed.Source) []feed.PaceRule { return nil },
		Discover:    func(context.Context, string) ([]feed.Candidate, error) { return nil, nil },
		Peek: func(context.Context, string) (feed.Document, error) {
			return feed.Document{}, errors.New("it cannot be fetched now")
		},
		Trace: func(context.Context, string, bool) (feed.Trace, error) { return feed.Trace{}, feed.ErrConflict },
	}
	for _, c := range change {
		c(&opts)
	}
	d := webtest.Over(n, n.Clock.Now)
	d.Mount(sources.New(store, d.Kit, opts))
	return d
}

// stored returns a source of the newsroom, without an id if it does not exist.
func stored(t *testing.T, n *storetest.Newsroom, url string) feed.Source {
	t.Helper()
	s, err := n.Source(t.Context(), feed.SourceID(url))
	if err != nil && !errors.Is(err, feed.ErrNotFound) {
		t.Fatal(err)
	}
	return s
}

// page returns a page that an admin sees.
func page(t *testing.T, d *webtest.Desk, path string) string {
	t.Helper()
	return d.As(t, "ann", feed.RoleAdmin).Get(path, http.StatusOK)
}
