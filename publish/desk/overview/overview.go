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

// Store is what the overview needs. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the
// store cannot answer now.
type Store interface {
	// SourceStates counts the sources by state. Sources that are gone or have alarm failures in a row are alarming; it returns up to
	// limit of them, most failures first. Polls due before late are late.
	SourceStates(ctx context.Context, alarm, limit int, late time.Time) (feed.SourceStates, error)
	// FeedStates returns the state of each outgoing feed in types, with up to visits visits, newest first.
	FeedStates(ctx context.Context, types []string, visits int) ([]feed.OutgoingState, error)
	// Articles returns articles without content, with their placements in the outgoing feeds in types.
	Articles(ctx context.Context, uuids, types []string) ([]feed.Article, error)
	// InboxSize returns the number of articles without a decision.
	InboxSize(ctx context.Context) (int, error)
	// HubState returns the number of subscriptions and deliveries.
	HubState(ctx context.Context) (feed.HubState, error)
	// OutboxState returns the number of stored signals and the time of the oldest unprocessed one.
	OutboxState(ctx context.Context) (feed.OutboxState, error)
	// Jobs returns up to limit jobs that have not ended.
	Jobs(ctx context.Context, limit int) ([]feed.Job, error)
	// Minutes returns the events of the last feed.OverviewMinutes minutes, the current one last.
	Minutes(ctx context.Context) ([]feed.Minute, error)
	// RedisState examines Redis and tries a write. It does not fail if Redis refuses that write.
	RedisState(ctx context.Context) (feed.RedisState, error)
	// Counts counts sources, entries, signals, and the articles of the outgoing feeds in types.
	Counts(ctx context.Context, types []string) (feed.Counts, error)
	// Check reports whether the store can be written to.
	Check(ctx context.Context) error
	// FindSignals returns the signals that q selects, newest first, without the content of posts, and the cursor of the next page.
	FindSignals(ctx context.Context, q feed.SignalQuery) (found []feed.Signal, next string, err error)
}

// Options configure an Overview.
type Options struct {
	Feeds feed.OutgoingFeeds // as configured

	// Blocked returns why an outgoing feed leaves an article out; empty: it does not.
	Blocked func(a *feed.Article, typ string) string
	// Candidates returns the UUIDs of articles that an outgoing feed left out when it last tried them.
	Candidates func(typ string) []string
}

// Overview serves the routes of the overview. Create it with New.
type Overview struct {
	store Store
	web   *web.Pages
	opts  Options
	alive alive
}

//go:embed templates
var files embed.FS

// New returns an Overview.
func New(store Store, kit *web.Kit, opts Options) *Overview {
	return &Overview{store: store, web: kit.Pages(files, nil), opts: opts}
}

// Site returns the routes of the overview.
func (o *Overview) Site() web.Site {
	return web.Site{Routes: []web.Route{
		{Pattern: "GET /{$}", Scope: feed.ScopeRead, Serve: o.show},
		{Pattern: "GET /alive", Scope: web.Public, Serve: o.serveAlive},
		{Pattern: "GET /live", Scope: feed.ScopeRead, Serve: o.follow, Lasts: true},
		{Pattern: "GET /api/v1/status", Scope: feed.ScopeRead, Serve: web.Reply(http.StatusOK, o.status), Untagged: true},
	}}
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

// status serves GET /api/v1/status.
func (o *Overview) status(r *http.Request) (Status, error) {
	s := Status{LastSignal: "0-0", Version: o.web.Version, Store: o.web.StoreKind(), PublicURL: o.web.PublicURL, Time: o.web.Now().UTC()}
	var err error
	if s.Counts, err = o.store.Counts(r.Context(), o.opts.Feeds.Types()); err != nil {
		return s, err
	}
	recent, _, err := o.store.FindSignals(r.Context(), feed.SignalQuery{Limit: 1})
	if len(recent) > 0 {
		s.LastSignal = recent[0].ID
	}
	return s, err
}
