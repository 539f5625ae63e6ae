package web

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what the kit needs. Methods return feed.ErrUnavailable if the store cannot answer now.
type Store interface {
	// ClaimResponse returns the stored response to the request with this id (known is true), or claims the id with a token. Sum
	// identifies the content of the request. feed.ErrKeyReused: the first request had another sum. feed.ErrUnderWay: the first
	// request is not finished.
	ClaimResponse(ctx context.Context, account int64, id, sum, token string) (a feed.StoredResponse, known bool, err error)
	// StoreResponse stores the response of a claimed request for a day.
	StoreResponse(ctx context.Context, id, token string, a *feed.StoredResponse) error
	// DropResponse releases a claim.
	DropResponse(ctx context.Context, id, token string) error
	// Confirm notices that the store has lost its data. From then on every call returns feed.ErrEmptied.
	Confirm(ctx context.Context) error
	// AddAudit adds entries to the audit log.
	AddAudit(ctx context.Context, entries ...feed.AuditEntry) error
}

// Options configure a Kit.
type Options struct {
	Logger     *slog.Logger          // nil: discard
	Registerer prometheus.Registerer // nil: metrics are not registered
	Now        func() time.Time      // nil: time.Now

	Readmit   time.Duration // how long an event stream outlasts the rights of its visitor; 0: 15 s
	PublicURL string        // "https://news.example.org"; empty: links are paths
	Version   string        // shown in the footer; empty: "unknown"
	StoreKind func() string // shown in the footer, "embedded redis 7.0.15"; nil: not shown
}

// Visitors identifies who sends a request.
type Visitors interface {
	// FromAPI returns who sends a request to the API.
	FromAPI(r *http.Request) (feed.Visitor, error)
	// FromPages returns who sends a request to a page.
	FromPages(r *http.Request) (feed.Visitor, error)
	// Address returns the client address, for the audit log.
	Address(r *http.Request) string
}

// Network returns the part of the client address of a request by which visitors without an account are recognised.
func (k *Kit) Network(r *http.Request) string {
	text := k.visitors.Address(r)
	if ip, err := netip.ParseAddr(text); err == nil {
		return feed.ClientNetwork(ip)
	}
	return text
}

// Link is a labelled link.
type Link struct{ Path, Text string }

// Kit is shared by the rooms that serve pages and API. It is safe for concurrent use. Create it with New.
type Kit struct {
	Options // with defaults; PublicURL has no trailing slash. They do not change

	store    Store
	visitors Visitors
	actions  *prometheus.CounterVec
	layout   func() *template.Template // never executed, because an executed template cannot be cloned
	errors   *Pages
	refusals refusals
	copies   *pageCopies
	stale    prometheus.Counter
	assets   assets
	site     atomic.Pointer[mounted]
	origin   *http.CrossOriginProtection

	buffers   sync.Pool // of *bytes.Buffer, for pages
	compress  func(http.Handler) http.HandlerFunc
	following chan struct{} // holds a token for each open event stream
	closed    chan struct{} // Run has ended
}

//go:embed templates assets
var files embed.FS

// New returns a Kit that serves nothing; see Mount.
func New(store Store, visitors Visitors, opts Options) *Kit {
	opts.Logger, opts.Version = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), cmp.Or(opts.Version, "unknown")
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.StoreKind == nil {
		opts.StoreKind = func() string { return "" }
	}
	opts.Readmit = cmp.Or(opts.Readmit, readmitAfter)
	opts.PublicURL = strings.TrimSuffix(opts.PublicURL, "/")
	k := &Kit{
		Options: opts, store: store, visitors: visitors, actions: newActions(opts.Registerer), stale: newStale(opts.Registerer), copies: newCopies(opts.Now), assets: newAssets(),
		origin: newOrigin(opts.PublicURL), compress: newCompression(),
		following: make(chan struct{}, maxFollowing), closed: make(chan struct{}),
	}
	k.layout = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Funcs(k.functions()).ParseFS(files, "templates/*.html"))
	})
	k.errors = &Pages{Kit: k, templates: sync.OnceValue(func() *template.Template { return template.Must(k.layout().Clone()) })}
	k.Mount()
	return k
}

// newOrigin accepts requests from our own pages. Behind a proxy the Host of a request may differ from the browser's.
func newOrigin(publicURL string) *http.CrossOriginProtection {
	origin := http.NewCrossOriginProtection()
	if u, err := url.Parse(publicURL); err == nil && u.Host != "" {
		_ = origin.AddTrustedOrigin(u.Scheme + "://" + u.Host) // scheme and host are present, and nothing else
	}
	return origin
}

// FromOtherSite reports whether a page of another site makes a browser send a request that is no GET.
func (k *Kit) FromOtherSite(r *http.Request) bool { return k.origin.Check(r) != nil }

// Run ends all event streams when ctx ends, and returns nil.
func (k *Kit) Run(ctx context.Context) error {
	<-ctx.Done()
	close(k.closed)
	return nil
}

func (k *Kit) logError(r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client is gone, and that is the error
	}
	level := slog.LevelError
	if errors.Is(err, feed.ErrUnavailable) {
		level = slog.LevelWarn
	}
	k.Logger.Log(r.Context(), level, "request failed", "route", r.Pattern, "err", err)
}
