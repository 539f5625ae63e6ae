// Package desk is where people meet feedwire: the pages and the API that they use, and the intake that turns the entries
// of sources into articles for them to decide about.
package desk

import (
	"context"
	"embed"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"strings"
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
	// AddSource stores a source that is not known yet and makes it due at once (created is true), or gives a known one
	// these Feeds, Publish, Interval, Request, Filters and, unless nil, Categories. It returns the source as it is then. A
	// new one also takes over Paused, and About until its first document. feed.ErrInvalid: it cannot be one.
	AddSource(ctx context.Context, s feed.Source) (stored feed.Source, created bool, err error)
	// Sources returns all sources, ordered by URL.
	Sources(ctx context.Context) ([]feed.Source, error)
	// Polls returns the last polls of each of the sources with these URLs, newest first.
	Polls(ctx context.Context, urls []string) ([][]feed.Poll, error)
	// Source returns one source by its feed.SourceID, with its last polls.
	Source(ctx context.Context, id string) (feed.Source, error)
	// SetPaused pauses or resumes polling; it does nothing where that is so already.
	SetPaused(ctx context.Context, id string, paused bool) error
	// PollSource makes the source due now, or a while after its last poll. feed.ErrConflict: it is paused.
	PollSource(ctx context.Context, id string) error
	// PollSources does so with all that are neither paused nor gone, and returns how many those are.
	PollSources(ctx context.Context) (int, error)
	// RemoveSource forgets the source. What was published from it stays.
	RemoveSource(ctx context.Context, id string) error

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
	// RecentArticles returns articles updated at or after since, newest update first, and the cursor of what follows;
	// a zero cursor: there is no more.
	RecentArticles(ctx context.Context, since time.Time, types []string, from feed.Cursor, limit int) (
		[]feed.Article, feed.Cursor, error)
	// PlacedArticles returns the articles that are in a state (any but known) in the outgoing feed typ, those first
	// that came into it last, and the cursor of what follows; a zero cursor: there is no more.
	PlacedArticles(ctx context.Context, typ string, state feed.State, types []string, from feed.Cursor, limit int) (
		[]feed.Article, feed.Cursor, error)
	// Publish puts an article out in a new revision; the second call with a request id answers what the first did.
	Publish(ctx context.Context, uuid, typ, requestID string) (feed.Transition, error)
	// TakeBack takes a published article out again; request ids as for Publish. feed.ErrConflict: it is not out.
	TakeBack(ctx context.Context, uuid, typ, requestID string) (feed.Transition, error)

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
	Token     string          // of the API (bearer) and, as the password, of the pages; empty: nobody is let in
	PublicURL string          // under which clients reach the daemon, "https://news.example.org"; empty: paths only
	Version   string          // shown; empty: "unknown"
	StoreKind func() string   // what the store is now, "embedded redis 7.0.15"; nil: not shown

	// OpenPages reports whether a request may see the pages without the password: one that surely comes from a person on
	// this machine, not through a proxy and not for a foreign Host. It opens nothing of the API. nil: none may.
	OpenPages func(*http.Request) bool
	// Trace polls a source at once and tells what happened; nil: that cannot be asked for. Errors as for PollSource.
	Trace     func(ctx context.Context, id string) (feed.Trace, error)
	Pace      func(*feed.Source) []feed.Rule                                  // what decides when it is polled; nil: not told
	Discover  func(ctx context.Context, url string) ([]feed.Candidate, error) // feeds behind a URL; nil: none
	ReadOPML  func(body []byte, contentType string) ([]feed.Listed, error)    // nil: refuses all
	WriteOPML func(w io.Writer, sources []feed.Source) error                  // nil: writes nothing

	Hub HubStore // nil: there is no hub to look at
	// TestWebhook sends a webhook a test at once and tells the HTTP status, 0 for none, and the class of the answer; nil: it
	// cannot be asked for.
	TestWebhook func(ctx context.Context, webhook feed.Subscription) (status int, reason string)

	OnTransition  func(typ string, from, to feed.State) // called for each change of state done here; nil: nobody cares
	OnAuthFailure func(method string)                   // called with "token" or "basic"; nil: nobody cares
}

// Desk serves the pages and the API. Create it with New and mount Handler.
type Desk struct {
	store   Store
	opts    Options
	types   []string // of opts.Feeds
	metrics *metrics
	page    *template.Template

	wake chan struct{} // holds a token when there is an import for Run
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
	opts.PublicURL = strings.TrimSuffix(opts.PublicURL, "/")
	return &Desk{
		store: store, opts: opts, types: typesOf(opts.Feeds), metrics: newMetrics(opts.Registerer),
		page: template.Must(template.ParseFS(files, "templates/*.html")),
		wake: make(chan struct{}, 1),
	}
}

func typesOf(feeds []feed.Outgoing) []string {
	types := make([]string, len(feeds))
	for i := range feeds {
		types[i] = feeds[i].Type
	}
	return types
}

// Handler serves "/", "/sources/{id}", "/assets/" and "/api/v1/"; its routes are absolute. It leaves room for others below /api/v1/,
// such as the event stream: mount those with longer patterns, behind Guard.
func (d *Desk) Handler() http.Handler {
	pages := http.NewServeMux()
	pages.Handle("GET /{$}", d.guardPages(http.HandlerFunc(d.overview)))
	pages.Handle("GET /sources/{id}", d.guardPages(http.HandlerFunc(d.source)))
	pages.HandleFunc("GET /assets/desk.css", asset("desk.css"))
	pages.HandleFunc("GET /assets/icon.svg", asset("icon.svg"))
	api := d.Guard(d.api())
	pages.Handle("/api/v1", api) // lest the mux redirect it
	pages.Handle("/api/v1/", api)
	return secured(pages)
}

// api lists the routes of the API.
func (d *Desk) api() http.Handler {
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
	mux.Handle("POST /api/v1/sources/poll", d.act(sourcePoll, d.pollSources))
	mux.Handle("POST /api/v1/sources/{id}/pause", d.act(sourcePause, d.pauseSource))
	mux.Handle("POST /api/v1/sources/{id}/resume", d.act(sourceResume, d.resumeSource))
	mux.Handle("GET /api/v1/sources/{id}/entries", d.read(d.listEntries))
	mux.Handle("GET /api/v1/entries/{n}", d.read(d.showEntry))
	mux.Handle("GET /api/v1/articles", d.read(d.listArticles))
	mux.Handle("GET /api/v1/articles/{uuid}", d.read(d.showArticle))
	mux.Handle("POST /api/v1/articles/{uuid}/publish", d.act(articlePublish, d.publish))
	mux.Handle("POST /api/v1/articles/{uuid}/unpublish", d.act(articleUnpublish, d.unpublish))
	mux.Handle("GET /api/v1/feeds", d.read(d.listFeeds))
	mux.Handle("GET /api/v1/signals", d.read(d.listSignals))
	mux.Handle("GET /api/v1/status", d.read(d.showStatus))
	if d.opts.Hub != nil {
		d.hubRoutes(mux)
	}
	return problems(mux)
}

// handler answers a request, or returns why it could not before it wrote anything.
type handler func(w http.ResponseWriter, r *http.Request) error

// read serves what changes nothing.
func (d *Desk) read(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			d.fail(w, r, err)
		}
	})
}

// act serves what people do, and counts it.
func (d *Desk) act(a action, h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		d.metrics.actions[a][resultOf(err)].Inc()
		if err != nil {
			d.fail(w, r, err)
		}
	})
}

// secured sets the headers that every answer has: nothing is loaded from elsewhere, framed, guessed or passed on.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy",
			"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
