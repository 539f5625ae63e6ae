// Package signals serves the pages and the API of signals: search, one signal with its post, and the event stream for pages.
package signals

import (
	"context"
	"embed"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what signals need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now, and feed.ErrNotFound if a signal does not exist.
type Store interface {
	// Signals returns at most limit signals after the id after ("": from the oldest), oldest first. If there are none, it waits up to wait
	// for the first.
	Signals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error)
	// FindSignals returns the signals that match, newest first, without the content of posts. next is q.Before of the next page;
	// empty: there is none.
	FindSignals(ctx context.Context, q feed.SignalQuery) (found []feed.Signal, next string, err error)
	// Signal returns a signal with its post.
	Signal(ctx context.Context, id string) (feed.Signal, error)
}

// Signals serves the routes of signals. Create it with New.
type Signals struct {
	store  Store
	web    *web.Pages
	events http.Handler
}

//go:embed templates
var files embed.FS

// New returns Signals. events streams new signals to pages.
func New(store Store, kit *web.Kit, events http.Handler) *Signals {
	return &Signals{store: store, web: kit.Pages(files, nil), events: events}
}

// Site returns the routes of signals.
func (s *Signals) Site() web.Site {
	latest := web.Link{Path: "/signals", Text: "Latest signals"}
	return web.Site{
		Routes: []web.Route{
			{Pattern: "GET /signals", Scope: feed.ScopeRead, Serve: s.showList},
			{Pattern: "GET /signals/live", Scope: feed.ScopeRead, Serve: s.stream, Lasts: true},
			{Pattern: "GET /signals/{signal}", Scope: feed.ScopeRead, Serve: s.showSignal},
			{Pattern: "GET /api/v1/signals", Query: []string{"after", "content", "limit"}, Scope: feed.ScopeRead, Serve: web.Reply(http.StatusOK, s.list)},
			{Pattern: "GET /api/v1/signals/search", Query: []string{"q", "kind", "feed_url", "since", "limit", "cursor"}, Scope: feed.ScopeRead, Serve: web.Reply(http.StatusOK, s.search)},
			{Pattern: "GET /api/v1/signals/{signal}", Scope: feed.ScopeRead, Serve: web.Reply(http.StatusOK, s.get)},
		},
		Missing: []web.Missing{{Below: "/signals/", Text: "This signal does not exist, or it is no longer stored.", List: latest}},
		Nav:     []web.Link{{Path: "/signals", Text: "signals"}},
	}
}
