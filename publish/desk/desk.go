// Package desk is where people meet feedwire: the pages and the API that they use, and the intake that turns the entries
// of sources into articles for them to decide about.
package desk

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"io"
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

// Store is what the desk reads and does. All methods may be called concurrently. Each returns feed.ErrUnavailable when
// the store cannot answer now, and feed.ErrNotFound for an id that names nothing.
//
// An argument types lists the outgoing feeds whose placements are wanted in Article.Feeds. Articles in lists have no
// Content; entries have theirs, and so have the posts of signals unless stated otherwise.
type Store interface {
	APIStore
	PageStore
	ArticleStore

	// AddSource stores a source that is not known yet and makes it due at once (created is true), or gives a known one
	// these Feeds, Publish, Interval, Request, Filters and, unless nil, Categories. It returns the source as it is then. A
	// new one also takes over Paused, and About until its first document. feed.ErrInvalid: it cannot be one.
	AddSource(ctx context.Context, s feed.Source) (stored feed.Source, created bool, err error)
	// Sources returns all sources, ordered by URL.
	Sources(ctx context.Context) ([]feed.Source, error)
	// Source returns one source by its feed.SourceID, with its last polls.
	Source(ctx context.Context, id string) (feed.Source, error)
	// SetPaused pauses or resumes polling; it does nothing where that is so already. Here and below, feed.ErrChanged: the source
	// has another Edition than this one, unless that is 0.
	SetPaused(ctx context.Context, id string, paused bool, edition int) error
	// PollSource makes the source due now, or a while after its last poll. feed.ErrConflict: it is paused.
	PollSource(ctx context.Context, id string, edition int) error
	// PollInFull does the same, and has the document read anew, changed or not.
	PollInFull(ctx context.Context, id string, edition int) error
	// PollSources does so with all that are neither paused nor gone, and returns how many those are.
	PollSources(ctx context.Context) (int, error)
	// RemoveSource forgets the source. What was published from it stays.
	RemoveSource(ctx context.Context, id string, edition int) error

	// StartJob stores a job, with what is to be done, for ClaimJob to find. feed.ErrConflict: most jobs have not ended yet.
	StartJob(ctx context.Context, job feed.Job, work []byte, most int) error
	// ClaimJob claims a job that waits, or that showed no progress for feed.JobLease. feed.ErrNotFound: there is none.
	ClaimJob(ctx context.Context) (feed.JobClaim, error)
	// SaveJob stores a job for a day, with the results that follow the first before ones, and lengthens the claim; a job
	// that waits or has ended is given up by it. Repeating it changes nothing. feed.ErrLeaseLost: the claim is lost.
	SaveJob(ctx context.Context, claim feed.JobClaim, before int, results []feed.JobResult) error
	// Job returns a job with at most limit of its results, from the one with index from on.
	Job(ctx context.Context, id string, from, limit int) (feed.Job, []feed.JobResult, error)

	// Entries returns the newest entries of a feed.
	Entries(ctx context.Context, feedURL string, limit int) ([]feed.Entry, error)
	// Entry returns one entry by its key, "Entry:5".
	Entry(ctx context.Context, id string) (feed.Entry, error)

	// Article returns one article, with its Content.
	Article(ctx context.Context, uuid string, types []string) (feed.Article, error)

	// Counts counts sources, entries, signals, and articles by the feeds in types.
	Counts(ctx context.Context, types []string) (feed.Counts, error)
	// Signals returns at most limit signals after the one with id after ("": from the oldest kept), oldest first, and
	// none only where there are none; then it has waited up to wait for the first one.
	Signals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error)
	// RecentSignals returns the newest signals, newest first, their posts without Content.
	RecentSignals(ctx context.Context, limit int) ([]feed.Signal, error)
}

// Options are what may be chosen about a Desk. With the zero value nobody is let in.
type Options struct {
	Logger     *slog.Logger          // nil: discard
	Registerer prometheus.Registerer // nil: metrics are kept nowhere
	Now        func() time.Time      // nil: time.Now

	Feeds     []feed.Outgoing // as configured, in the order in which pages show them
	Token     string          // of the API (bearer), for everything; empty: there is none
	SignIn    SignIn          // how people are known
	PublicURL string          // under which clients reach the daemon, "https://news.example.org"; empty: paths only
	Version   string          // shown; empty: "unknown"
	StoreKind func() string   // what the store is now, "embedded redis 7.0.15"; nil: not shown

	// OpenPages reports whether a request may see the pages without signing in, as an editor does. It opens nothing of the
	// API. nil: none may.
	OpenPages func(*http.Request) bool
	// Republished gives the URLs of the feeds of a source at this daemon; nil: there are none.
	Republished func(id string) []string
	// Trace polls a source at once, with full as PollInFull does, and tells what happened; nil: that cannot be asked for.
	// Errors as for PollSource.
	Trace     func(ctx context.Context, id string, full bool) (feed.Trace, error)
	Pace      func(*feed.Source) []feed.Rule                                  // what decides when it is polled; nil: not told
	Discover  func(ctx context.Context, url string) ([]feed.Candidate, error) // feeds behind a URL; nil: none
	ReadOPML  func(body []byte, contentType string) ([]feed.Listed, error)    // nil: refuses all
	WriteOPML func(w io.Writer, sources []feed.Source) error                  // nil: writes nothing

	// HeldBack tells why an outgoing feed leaves an article out, or would; empty: it does not. nil: nobody knows.
	HeldBack func(a *feed.Article, typ string) string
	// Held are the UUIDs of articles that an outgoing feed leaves out, as far as it has tried them; nil: nobody knows.
	Held func(typ string) []string
	// Preview shows an article as an outgoing feed would carry it. Errors as of the store. nil: it cannot be asked for.
	Preview func(ctx context.Context, a feed.Article, typ string) (Preview, error)
	// Peek fetches a feed and stores nothing. feed.ErrInvalid: its URL cannot be used. nil: nothing can be fetched.
	Peek func(ctx context.Context, url string) (feed.Document, error)
	// Document is an outgoing feed as it is served now; nil: it cannot be shown.
	Document func(ctx context.Context, typ string) (body []byte, contentType string, err error)
	Events   http.Handler // streams the signals; nil: pages do not follow them
	Settings []Setting    // in force
	// LastReload tells how the configuration was last read again; with a zero time it was not. nil: it cannot be.
	LastReload func() Reload

	Hub HubStore // nil: there is no hub to look at
	// TestWebhook sends a webhook a test at once and tells the HTTP status, 0 for none, and the class of the answer; nil: it
	// cannot be asked for.
	TestWebhook func(ctx context.Context, webhook feed.Subscription) (status int, reason string)

	OnTransition  func(typ string, from, to feed.State) // called for each change of state done here; nil: nobody cares
	OnAuthFailure func(method string)                   // called with "token", "password" or "proxy"; nil: nobody cares
	OnPanic       func(component string)                // told of each recovered panic, component "import"; nil: nobody
}

// Desk serves the pages and the API. Create it with New and mount Handler.
type Desk struct {
	store   Store
	opts    Options
	types   []string              // of opts.Feeds
	latest  *atomic.Pointer[Desk] // what Reload made of this one; a request is served by one of them to its end
	routes  http.Handler
	metrics *metrics
	page    *template.Template
	assets  assets
	signs   SignStore                   // of opts
	origin  *http.CrossOriginProtection // against requests that pages of other sites make

	compress func(http.Handler) http.HandlerFunc // what it serves
	hashing  chan struct{}                       // holds a token for each password that is being compared or hashed

	wake chan struct{} // holds a token when there is an import for Run

	following chan struct{} // holds a token for each page that is told of changes
	ended     chan struct{} // closed when Run has ended, and with it whatever pages are told
	end       func()        // closes it
}

//go:embed templates assets
var files embed.FS

// New returns a desk over store.
func New(store Store, opts Options) *Desk {
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
	if opts.OpenPages == nil {
		opts.OpenPages = func(*http.Request) bool { return false }
	}
	if opts.OnTransition == nil {
		opts.OnTransition = func(string, feed.State, feed.State) {}
	}
	if opts.OnAuthFailure == nil {
		opts.OnAuthFailure = func(string) {}
	}
	if opts.OnPanic == nil {
		opts.OnPanic = func(string) {}
	}
	if opts.HeldBack == nil {
		opts.HeldBack = func(*feed.Article, string) string { return "" }
	}
	if opts.Held == nil {
		opts.Held = func(string) []string { return nil }
	}
	if opts.Peek == nil {
		opts.Peek = func(context.Context, string) (feed.Document, error) {
			return feed.Document{}, errors.New("this daemon cannot fetch it now")
		}
	}
	if opts.Republished == nil {
		opts.Republished = func(string) []string { return nil }
	}
	if opts.Pace == nil {
		opts.Pace = func(*feed.Source) []feed.Rule { return nil }
	}
	if opts.Discover == nil {
		opts.Discover = func(context.Context, string) ([]feed.Candidate, error) { return nil, nil }
	}
	if opts.ReadOPML == nil {
		opts.ReadOPML = func([]byte, string) ([]feed.Listed, error) { return nil, feed.ErrInvalid }
	}
	if opts.WriteOPML == nil {
		opts.WriteOPML = func(io.Writer, []feed.Source) error { return nil }
	}
	if opts.LastReload == nil {
		opts.LastReload = func() Reload { return Reload{} }
	}
	if opts.SignIn.Cost == 0 {
		opts.SignIn.Cost = defaultCost
	}
	opts.PublicURL = strings.TrimSuffix(opts.PublicURL, "/")
	ended, own := make(chan struct{}), newAssets()
	d := &Desk{
		latest: new(atomic.Pointer[Desk]), following: make(chan struct{}, liveAtOnce), ended: ended, end: sync.OnceFunc(func() { close(ended) }),
		signs: opts.SignIn.Store, origin: newOrigin(opts.PublicURL), hashing: make(chan struct{}, maxHashing),
		store: store, opts: opts, types: typesOf(opts.Feeds), metrics: newMetrics(opts.Registerer),
		page:   template.Must(template.New("").Funcs(template.FuncMap{"asset": own.path, "columns": columns}).ParseFS(files, "templates/*.html")),
		assets: own, compress: newCompression(),
		wake: make(chan struct{}, 1),
	}
	d.routes = d.handler()
	d.latest.Store(d)
	return d
}

// Reload takes over Feeds, Token, Settings and, of SignIn, what concerns proxies, for requests that begin from now on. All
// else stays as it was with New.
func (d *Desk) Reload(opts Options) {
	next := *d.latest.Load()
	next.opts.Feeds, next.opts.Token, next.opts.Settings = opts.Feeds, opts.Token, opts.Settings
	sign := &next.opts.SignIn
	sign.ProxyHeader, sign.ProxyNetworks, sign.ProxyRole = opts.SignIn.ProxyHeader, opts.SignIn.ProxyNetworks, opts.SignIn.ProxyRole
	next.types = typesOf(opts.Feeds)
	next.routes = next.handler()
	d.latest.Store(&next)
}

func typesOf(feeds []feed.Outgoing) []string {
	types := make([]string, len(feeds))
	for i := range feeds {
		types[i] = feeds[i].Type
	}
	return types
}

// newOrigin is what tells requests of our own pages from those of other sites. Behind a proxy the Host of a request may be
// another one than the browser's.
func newOrigin(publicURL string) *http.CrossOriginProtection {
	origin := http.NewCrossOriginProtection()
	if u, err := url.Parse(publicURL); err == nil && u.Host != "" {
		_ = origin.AddTrustedOrigin(u.Scheme + "://" + u.Host) // it has scheme and host, and nothing else
	}
	return origin
}

// Handler serves the pages, "/assets/" and "/api/v1/"; its routes are absolute. It leaves room for others below /api/v1/,
// such as the event stream: mount those with longer patterns, behind Guard.
func (d *Desk) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.latest.Load().routes.ServeHTTP(w, r) })
}

func (d *Desk) handler() http.Handler {
	root := http.NewServeMux()
	root.Handle("GET /assets/desk.css", d.compress(d.assets.serve("desk.css")))
	root.Handle("GET /assets/wire.js", d.compress(d.assets.serve("wire.js")))
	root.Handle("GET /assets/desk.js", d.compress(d.assets.serve("desk.js")))
	root.Handle("GET /assets/icon.svg", d.compress(d.assets.serve("icon.svg")))
	root.Handle("GET /api/v1/openapi.yaml", d.read(openAPI))
	api := d.guardAPI(d.api())
	root.Handle("/api", api) // lest the mux redirect it
	root.Handle("/api/", api)
	root.Handle("/", d.guardPages(d.pages()))
	return secured(root)
}

// pages lists the routes of the pages.
func (d *Desk) pages() *http.ServeMux {
	pages := http.NewServeMux()
	pages.HandleFunc("GET /{$}", d.overview)
	pages.HandleFunc("GET /live", d.show(d.followOverview))
	d.articlePages(pages)
	d.sourcePages(pages)
	d.wirePages(pages)
	if d.signs != nil {
		d.signPages(pages)
	}
	return pages
}

// api lists the routes of the API.
func (d *Desk) api() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /api/v1/sources", d.read(d.listSources))
	mux.Handle("POST /api/v1/sources", d.act(sourceAdd, d.addSource))
	mux.Handle("POST /api/v1/discover", d.act(sourceDiscover, d.discover))
	mux.Handle("GET /api/v1/opml", d.read(d.exportOPML))
	mux.Handle("POST /api/v1/opml", d.act(sourceImport, d.importOPML))
	mux.Handle("GET /api/v1/jobs/{id}", d.read(d.showJob))
	mux.Handle("GET /api/v1/sources/{id}", d.read(d.showSource))
	mux.Handle("DELETE /api/v1/sources/{id}", d.act(sourceRemove, d.removeSource))
	mux.Handle("POST /api/v1/sources/{id}/poll", d.act(sourcePoll, d.pollSource))
	mux.Handle("POST /api/v1/sources/{id}/pause", d.act(sourcePause, d.pauseSource))
	mux.Handle("POST /api/v1/sources/{id}/resume", d.act(sourceResume, d.resumeSource))
	mux.Handle("GET /api/v1/sources/{id}/entries", d.read(d.listEntries))
	mux.Handle("GET /api/v1/entries/{n}", d.read(d.showEntry))
	mux.Handle("GET /api/v1/articles", d.read(d.listArticles))
	mux.Handle("GET /api/v1/articles/{uuid}", d.read(d.showArticle))
	mux.Handle("GET /api/v1/articles/{uuid}/preview", d.read(d.previewArticle))
	mux.Handle("POST /api/v1/articles/{uuid}/publish", d.act(articlePublish, d.publish))
	mux.Handle("POST /api/v1/articles/{uuid}/unpublish", d.act(articleUnpublish, d.unpublish))
	mux.Handle("GET /api/v1/feeds", d.read(d.listFeeds))
	mux.Handle("GET /api/v1/signals", d.read(d.listSignals))
	mux.Handle("GET /api/v1/status", d.serve(d.showStatus)) // it tells the time: no two are the same
	d.bulkRoutes(mux)
	d.viewRoutes(mux)
	if d.opts.Hub != nil {
		d.hubRoutes(mux)
	}
	if d.signs != nil {
		d.signRoutes(mux)
	}
	return mux
}

// handler answers a request, or returns why it could not before it wrote anything.
type handler func(w http.ResponseWriter, r *http.Request) error

// read serves what changes nothing.
func (d *Desk) read(h handler) http.Handler { return d.serve(tagged(h)) }

// act serves what people do, once, counts it, and writes it to the audit log.
func (d *Desk) act(a action, h handler) http.Handler {
	return d.serve(d.once(a, func(w http.ResponseWriter, r *http.Request) error { return d.do(a, h, w, r) }))
}

// serve serves a handler, and says why where it could not do what was asked for.
func (d *Desk) serve(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			d.fail(w, r, err)
		}
	})
}

// do does what a person wants, counts it, and writes it to the audit log.
func (d *Desk) do(a action, h handler, w http.ResponseWriter, r *http.Request) error {
	c := &change{on: r.URL.Path}
	err := h(w, r.WithContext(context.WithValue(r.Context(), changeKey{}, c)))
	d.metrics.actions[a][resultOf(err)].Inc()
	if err == nil {
		d.audit(r, a, c)
	}
	return err
}

// secured sets the headers that every answer has: nothing is loaded from elsewhere, framed, guessed or passed on.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy",
			"default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // with no-referrer, forms would come from the origin "null"
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		next.ServeHTTP(w, r)
	})
}
