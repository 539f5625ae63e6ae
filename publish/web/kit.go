package web

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
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
	// ClaimAnswer returns the stored response to the request with this id (known is true), or claims the id with a token. Sum
	// identifies the content of the request. feed.ErrKeyReused: the first request had another sum. feed.ErrUnderWay: the first
	// request is not finished.
	ClaimAnswer(ctx context.Context, id, sum, token string) (a feed.StoredResponse, known bool, err error)
	// KeepAnswer stores the response of a claimed request for a day.
	KeepAnswer(ctx context.Context, id, token string, a *feed.StoredResponse) error
	// DropAnswer releases a claim.
	DropAnswer(ctx context.Context, id, token string) error
}

// AuditLog stores audit entries.
type AuditLog interface {
	AddAudit(ctx context.Context, entries ...feed.AuditEntry) error
}

// Options configure a Kit.
type Options struct {
	Logger     *slog.Logger          // nil: discard
	Registerer prometheus.Registerer // nil: metrics are not registered
	Now        func() time.Time      // nil: time.Now

	PublicURL string        // "https://news.example.org"; empty: links are paths
	Version   string        // shown in the footer; empty: "unknown"
	StoreKind func() string // shown in the footer, "embedded redis 7.0.15"; nil: not shown

	Audit     AuditLog                                  // nil: there is no audit log
	FromAPI   func(*http.Request) (feed.Visitor, error) // who sends a request to the API; nil: unknown visitors only
	FromPages func(*http.Request) (feed.Visitor, error) // who sends a request to a page; nil: unknown visitors only
	Address   func(*http.Request) string                // client address for the audit log; nil: the other end of the connection

	Nav      []Link // pages in the header of every page
	AdminNav []Link // pages for admins
	Account  string // page of the visitor's own account; empty: there is none
}

// Link is a labelled link.
type Link struct{ Path, Text string }

// Kit is shared by the rooms that serve pages and API. It is safe for concurrent use. Create it with New.
type Kit struct {
	store   Store
	opts    Options
	metrics *metrics
	layout  *template.Template
	assets  assets
	site    atomic.Pointer[Site] // what Serve was called with last
	origin  *http.CrossOriginProtection

	compress  func(http.Handler) http.HandlerFunc
	following chan struct{} // holds a token for each open event stream
	closed    chan struct{}
	close     func()
}

//go:embed templates assets
var files embed.FS

// New returns a Kit.
func New(store Store, opts Options) *Kit {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Version == "" {
		opts.Version = "unknown"
	}
	if opts.StoreKind == nil {
		opts.StoreKind = func() string { return "" }
	}
	unknown := func(*http.Request) (feed.Visitor, error) { return feed.Visitor{}, nil }
	if opts.FromAPI == nil {
		opts.FromAPI = unknown
	}
	if opts.FromPages == nil {
		opts.FromPages = unknown
	}
	if opts.Address == nil {
		opts.Address = func(r *http.Request) string { return r.RemoteAddr }
	}
	opts.PublicURL = strings.TrimSuffix(opts.PublicURL, "/")
	own, closed := newAssets(), make(chan struct{})
	k := &Kit{
		store: store, opts: opts, metrics: newMetrics(opts.Registerer), assets: own, origin: newOrigin(opts.PublicURL), compress: newCompression(),
		layout:    template.Must(template.New("").Funcs(template.FuncMap{"asset": own.path, "columns": columns}).ParseFS(files, "templates/*.html")),
		following: make(chan struct{}, maxFollowing), closed: closed, close: sync.OnceFunc(func() { close(closed) }),
	}
	k.site.Store(&Site{})
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

// Close ends all event streams.
func (k *Kit) Close() { k.close() }

// Now returns the current time.
func (k *Kit) Now() time.Time { return k.opts.Now() }

// Logger returns the logger of the kit.
func (k *Kit) Logger() *slog.Logger { return k.opts.Logger }

// PublicURL returns the URL of the daemon without a trailing slash, or "".
func (k *Kit) PublicURL() string { return k.opts.PublicURL }

// Version returns the version that pages show.
func (k *Kit) Version() string { return k.opts.Version }

// StoreKind describes the store, or returns "".
func (k *Kit) StoreKind() string { return k.opts.StoreKind() }

func (k *Kit) logError(r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client is gone, and that is the error
	}
	level := slog.LevelError
	if errors.Is(err, feed.ErrUnavailable) {
		level = slog.LevelWarn
	}
	k.opts.Logger.Log(r.Context(), level, "request failed", "route", r.Pattern, "err", err)
}
