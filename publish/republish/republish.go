// Package republish serves each source and each list as a feed of its own, cleaned, as RSS, Atom and JSON Feed. Each feed is a topic of
// the hub.
//
// A request walks: current version of the source or the list (current.go) → its entries (contents.go), cleaned and encoded once per change
// (fragment.go, entry.go) → document, kept in memory (publish/copies) → response (serve.go).
package republish

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/copies"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what republishing needs from the store. Errors are feed.ErrNotFound if there is no such source or list, and
// feed.ErrUnavailable if the store cannot answer now.
type Store interface {
	// SourceVersion changes whenever Entries, or what the feed shows of Source, returns something else.
	SourceVersion(ctx context.Context, id string, limit int) (string, error)
	// Source returns a source by its id.
	Source(ctx context.Context, id string) (feed.Source, error)
	// Entries returns the newest entries of a source, newest first.
	Entries(ctx context.Context, feedURL string, limit int) ([]feed.Entry, error)
	// Threads returns how many comments those of some entries of a source have on which members can comment, by id.
	Threads(ctx context.Context, feedURL string, entries []feed.Entry) (map[string]string, error)
	// Deleted returns the entries of a source that were taken down last, newest first.
	Deleted(ctx context.Context, feedURL string) ([]feed.DeletedEntry, error)

	// ListVersion changes whenever ListEntries, or what the feed shows of the sources of the entries, returns something else.
	ListVersion(ctx context.Context, list string, limit int) (string, error)
	// ListEntries returns the first entries of a list that anyone may see, with their sources.
	ListEntries(ctx context.Context, list string, limit int) (feed.ListPage, error)
}

// Options has a useful zero value.
type Options struct {
	HubURL     string                   // empty disables subscriptions
	Entries    int                      // per feed of a source; 0 means 50
	Bytes      int                      // of the text of a feed; 0 means 4 MiB
	CacheBytes int                      // of documents in memory; 0 means 32 MiB
	Trusted    func(*http.Request) bool // reports whether a client may read private sources; nil trusts no client
	OpenLists  func() bool              // reports whether everyone may read lists, and not only clients that are Trusted; nil means yes
	ThreadURL  func(n string) string    // returns the address of the comments on the entry with a number; nil: there is none
	Logger     *slog.Logger             // nil discards
	Registerer prometheus.Registerer    // nil does not expose the metrics
	Now        func() time.Time         // nil means time.Now
}

// Server serves the feeds of all sources and lists. It is an http.Handler for the patterns "/sources/{id}/feed.rss", ".atom" and
// ".json"; ServeList serves lists.
type Server struct {
	store    Store
	public   string
	opts     Options
	cleaner  *body.Cleaner
	metrics  *metrics
	checks   singleflight.Group
	cache    *copies.Cache[name, *rendered]
	failedAt atomic.Int64 // time at which the store last failed to answer, Unix nanoseconds
}

// Forget drops all documents from memory, so that none of them shows an entry that was taken down while the store is unavailable.
func (s *Server) Forget() { s.cache.Clear() }

// New returns a Server. publicURL is the URL of the daemon without a final slash.
func New(store Store, publicURL string, opts Options) *Server {
	opts.Entries = cmp.Or(opts.Entries, 50)
	opts.Bytes = cmp.Or(opts.Bytes, 4<<20)
	opts.CacheBytes = cmp.Or(opts.CacheBytes, 32<<20)
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	if opts.Trusted == nil {
		opts.Trusted = func(*http.Request) bool { return false }
	}
	if opts.OpenLists == nil {
		opts.OpenLists = func() bool { return true }
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	m := newMetrics(opts.Registerer)
	return &Server{
		store: store, public: publicURL, opts: opts, cleaner: body.New(body.Policy{}), metrics: m,
		cache: copies.New[name](copies.Options{
			Bytes: opts.CacheBytes, Now: opts.Now, OnSize: func(bytes int) { m.bytes.Set(float64(bytes)) },
		}, (*rendered).size),
	}
}
