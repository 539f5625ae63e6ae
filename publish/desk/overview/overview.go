// Package overview serves the first page, which shows what needs attention, and the status of the daemon.
package overview

import (
	"context"
	"embed"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what the overview needs. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now.
type Store interface {
	// Overview returns the state of sources, feeds, signals, the hub, imports and Redis.
	Overview(ctx context.Context, q feed.OverviewQuery) (feed.Overview, error)
	// Counts counts sources, entries, signals, and the articles of the outgoing feeds in types.
	Counts(ctx context.Context, types []string) (feed.Counts, error)
	// RecentSignals returns the newest signals, newest first, without the content of posts.
	RecentSignals(ctx context.Context, limit int) ([]feed.Signal, error)
}

// Options configure an Overview.
type Options struct {
	Feeds feed.OutgoingFeeds // as configured
	Hub   bool               // there is a hub

	// Blocked returns why an outgoing feed leaves an article out; empty: it does not.
	Blocked func(a *feed.Article, typ string) string
	// Candidates returns the UUIDs of articles that an outgoing feed left out when it last tried them.
	Candidates func(typ string) []string
}

// Overview serves the routes of the overview. Create it with New.
type Overview struct {
	store Store
	web   *web.Kit
	pages *web.Pages
	opts  Options
}

//go:embed templates
var files embed.FS

// New returns an Overview.
func New(store Store, kit *web.Kit, opts Options) *Overview {
	return &Overview{store: store, web: kit, pages: kit.Pages(files), opts: opts}
}

// Routes returns every route of the overview.
func (o *Overview) Routes() []web.Route {
	return []web.Route{
		{Pattern: "GET /{$}", Scope: feed.ScopeRead, Serve: o.show},
		{Pattern: "GET /live", Scope: feed.ScopeRead, Serve: o.follow},
		{Pattern: "GET /api/v1/status", Scope: feed.ScopeRead, Serve: o.getStatus, Untagged: true},
	}
}

// Status is the response of GET /api/v1/status.
type Status struct {
	Version    string      `json:"version"`
	Store      string      `json:"store,omitempty"` // "embedded redis 7.0.15"
	PublicURL  string      `json:"public_url,omitempty"`
	Time       time.Time   `json:"time"`        // of the daemon
	LastSignal string      `json:"last_signal"` // id of the newest signal; "0-0": none is stored
	Counts     feed.Counts `json:"counts"`
}

// getStatus serves GET /api/v1/status.
func (o *Overview) getStatus(w http.ResponseWriter, r *http.Request) error {
	counts, err := o.store.Counts(r.Context(), o.opts.Feeds.Types())
	if err != nil {
		return err
	}
	recent, err := o.store.RecentSignals(r.Context(), 1)
	if err != nil {
		return err
	}
	last := "0-0"
	if len(recent) > 0 {
		last = recent[0].ID
	}
	web.JSON(w, http.StatusOK, Status{
		LastSignal: last, Version: o.web.Version(), Store: o.web.StoreKind(), PublicURL: o.web.PublicURL(), Time: o.web.Now().UTC(), Counts: counts,
	})
	return nil
}
