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
	// FindSignals returns the signals that match, newest first, without the content of posts. next is q.Before of the next page; empty: there is none.
	FindSignals(ctx context.Context, q feed.SignalQuery) (found []feed.Signal, next string, err error)
	// Signal returns a signal with its post.
	Signal(ctx context.Context, id string) (feed.Signal, error)
}

// Options configure Signals.
type Options struct {
	Events http.Handler // event stream; nil: pages do not follow signals
}

// Signals serves the routes of signals. Create it with New.
type Signals struct {
	store Store
	web   *web.Kit
	pages *web.Pages
	opts  Options
}

//go:embed templates
var files embed.FS

// Missing describes signals that do not exist.
var Missing = web.Missing{
	Below: "/signals/", Text: "This signal does not exist, or it is no longer stored.", List: web.Link{Path: "/signals", Text: "Latest signals"},
}

// New returns Signals.
func New(store Store, kit *web.Kit, opts Options) *Signals {
	return &Signals{store: store, web: kit, pages: kit.Pages(files), opts: opts}
}

// Routes returns every route of signals.
func (s *Signals) Routes() []web.Route {
	return []web.Route{
		{Pattern: "GET /signals", Scope: feed.ScopeRead, Serve: s.showList},
		{Pattern: "GET /signals/live", Scope: feed.ScopeRead, Serve: s.stream},
		{Pattern: "GET /signals/{id}", Scope: feed.ScopeRead, Serve: s.showSignal},
		{Pattern: "GET /api/v1/signals", Scope: feed.ScopeRead, Serve: s.list},
		{Pattern: "GET /api/v1/signals/search", Scope: feed.ScopeRead, Serve: s.search},
		{Pattern: "GET /api/v1/signals/{signal}", Scope: feed.ScopeRead, Serve: s.get},
	}
}
