// Package imports adds lists of sources in OPML as background jobs, serves their pages and API, and exports all sources as OPML.
package imports

import (
	"context"
	"embed"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what imports need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now, and feed.ErrNotFound if a source or job does not exist.
type Store interface {
	// StartJob stores a job with its work. feed.ErrConflict: limit jobs have not ended yet.
	StartJob(ctx context.Context, job feed.Job, work []byte, limit int) error
	// UnfinishedJobs returns the number of jobs that have not ended.
	UnfinishedJobs(ctx context.Context) (int, error)
	// ClaimJob leases a job that waits, or that made no progress for feed.JobLease. feed.ErrNotFound: there is none.
	ClaimJob(ctx context.Context) (feed.JobClaim, error)
	// ReclaimJobs makes the jobs wait that an earlier process of this daemon had leased when it was killed, and returns how many there
	// were.
	ReclaimJobs(ctx context.Context) (int, error)
	// SaveJob stores a job for a day, appends results to its first before results, and renews the lease. A job that waits or has ended
	// loses its lease. A repetition changes nothing. feed.ErrLeaseLost: another daemon has the lease.
	SaveJob(ctx context.Context, claim feed.JobClaim, before int, results []feed.JobResult) error
	// Job returns a job with up to limit results, starting with the one at index from.
	Job(ctx context.Context, id string, from, limit int) (feed.Job, []feed.JobResult, error)

	// Source returns a source by its id.
	Source(ctx context.Context, id string) (feed.Source, error)
	// AddSource adds a source. feed.ErrInvalid: the source cannot be stored.
	AddSource(ctx context.Context, s feed.Source) (stored feed.Source, created bool, err error)
	// Sources returns all sources, ordered by URL.
	Sources(ctx context.Context) ([]feed.Source, error)
}

// Options configure Imports. Every function except Work must be set.
type Options struct {
	ReadOPML  func(body []byte, contentType string) ([]feed.ListedSource, error)
	WriteOPML func(w io.Writer, sources []feed.Source) error
	OnPanic   func(component string) // called with "import" after a recovered panic
	// Work waits for a processor, because a long list takes one for a second and a multiple of its size in memory.
	// feed.ErrUnavailable: too many are waiting. Nil: at once.
	Work func(ctx context.Context, client string) (done func(), err error)
}

// Imports runs import jobs and serves their routes. Create it with New.
type Imports struct {
	store Store
	web   *web.Pages
	opts  Options
	feeds atomic.Pointer[feed.OutgoingFeeds]
	wake  chan struct{} // has a token if Run has a new job to claim
}

//go:embed templates
var files embed.FS

// New returns Imports without outgoing feeds; see SetFeeds.
func New(store Store, kit *web.Kit, opts Options) *Imports {
	if opts.Work == nil {
		opts.Work = func(context.Context, string) (func(), error) { return func() {}, nil }
	}
	is := &Imports{store: store, web: kit.Pages(files, nil), opts: opts, wake: make(chan struct{}, 1)}
	is.SetFeeds(nil)
	return is
}

// SetFeeds sets the outgoing feeds for imports that start or resume afterwards.
func (is *Imports) SetFeeds(feeds feed.OutgoingFeeds) { is.feeds.Store(&feeds) }

// Site returns the routes of imports and of the export.
func (is *Imports) Site() web.Site {
	start := &web.Action{Name: "source_import", Text: "imported sources"}
	read, change := feed.ScopeRead, feed.ScopeSources
	again := web.Link{Path: "/sources/import", Text: "Import a list"}
	return web.Site{
		Routes: []web.Route{
			{Pattern: "GET /sources/import", Scope: change, Serve: is.showForm},
			{Pattern: "POST /sources/import", Scope: change, Action: start, Serve: web.Form(is.importFile), Failed: is.showForm, MaxBody: maxOPML + web.FormOverhead},
			{Pattern: "GET /sources/export", Scope: read, Serve: is.export},
			{Pattern: "GET /imports/{id}", Scope: read, Serve: is.showImport},

			{Pattern: "GET /api/v1/opml", Scope: read, Serve: is.export},
			{Pattern: "POST /api/v1/opml", Query: []string{"dry_run", "feeds", "publish"}, Scope: change, Action: start, Serve: is.importBody, MaxBody: maxOPML},
			{Pattern: "GET /api/v1/jobs/{id}", Query: []string{"from", "limit"}, Scope: read, Serve: web.Reply(http.StatusOK, is.getJob)},
		},
		Missing: []web.Missing{{Below: "/imports/", Text: "This import does not exist. The result of an import is kept for a day.", List: again}},
	}
}
