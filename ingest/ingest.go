package ingest

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

// Store stores the sources, their due times and their entries. It is safe for concurrent use. An error that is
// feed.ErrUnavailable is temporary; the Ingester repeats the call.
type Store interface {
	// ClaimSources leases up to most due sources, the most overdue first. No other call returns them until the lease ends or
	// the claim is finished or released. The store spaces the polls of a host, because several daemons share it.
	ClaimSources(ctx context.Context, most int, lease time.Duration) ([]feed.Claim, error)
	// ClaimSource leases one source for a person, whether it is due or not. feed.ErrNotFound: it does not exist;
	// feed.ErrConflict: it is paused, leased, or must not be polled yet.
	ClaimSource(ctx context.Context, id string, lease time.Duration) (feed.Claim, error)
	// CompareEntries returns what SaveEntries would do with each entry of a document, and writes nothing.
	CompareEntries(ctx context.Context, source feed.Source, doc feed.Document) ([]feed.Comparison, error)
	// NextDue returns when the next source is due, or the zero time.
	NextDue(ctx context.Context) (time.Time, error)
	// ClockSetBack brings forward the polls that were scheduled before the clock was set back, and returns their number. It may
	// be repeated.
	ClockSetBack(ctx context.Context) (int, error)
	// SaveEntries writes new and changed entries together with their signals, atomically. Saving a document again changes and
	// signals nothing. A claim without a token is a push and needs no lease. feed.ErrLeaseLost: nothing was written, or the
	// pushed source does not exist. *feed.PushLimitError: too many entries were pushed in a minute, and nothing was written.
	SaveEntries(ctx context.Context, claim feed.Claim, doc feed.Document) (feed.Saved, error)
	// RenewLease extends the lease of a claim from now on. feed.ErrLeaseLost: another daemon may have the source.
	RenewLease(ctx context.Context, claim feed.Claim, lease time.Duration) error
	// FinishPoll replaces the whole poll state of the source, adds the poll to its history, schedules it for State.NextPoll and
	// ends the lease. No source of the same host is claimed until PauseHost. A source whose state is Gone is never scheduled
	// again. feed.ErrLeaseLost: nothing was written.
	FinishPoll(ctx context.Context, claim *feed.Claim, polled *feed.PollResult) error
	// ReleaseSource returns an unused claim. The source is due as before.
	ReleaseSource(ctx context.Context, claim *feed.Claim) error
}

// Options are the settings of an Ingester. The zero value works.
type Options struct {
	Workers     int           // concurrent polls; default 16
	Interval    time.Duration // between polls of a source without an interval; default: adaptive
	MinInterval time.Duration // the shortest adaptive interval; default 15 min, negative: none
	MaxEntries  int           // in one document; default 2000
	Lease       time.Duration // of a claim, renewed during a poll; default 1 min
	Fetch       fetch.Options

	// OnDocument receives each document before it is saved, decompressed. If the error is feed.ErrUnavailable, the document is
	// saved later. nil disables it.
	OnDocument func(ctx context.Context, feedURL, contentType string, body []byte) error
	// OnReread is called after a document was saved if an older version of the parser had read the source before: its entries may
	// have new fields. If the error is feed.ErrUnavailable, OnReread is called again; other errors fail the poll. nil disables it.
	OnReread func(ctx context.Context, feedURL string) error

	Wake       <-chan struct{}        // a token means that a source became due; nil: detected within a second
	OnTurn     func()                 // called for each loop iteration, at least every 10 s unless the loop hangs; nil disables it
	OnPanic    func(component string) // called for each recovered panic, component "poll"; nil disables it
	Logger     *slog.Logger           // nil discards logs
	Registerer prometheus.Registerer  // nil: metrics are not registered
	Now        func() time.Time       // nil: time.Now
}

// withDefaults replaces the zero values.
func (o Options) withDefaults() *Options {
	o.Workers = cmp.Or(o.Workers, 16)
	o.MinInterval = cmp.Or(o.MinInterval, 15*time.Minute)
	o.MaxEntries = cmp.Or(o.MaxEntries, 2000)
	o.Lease = cmp.Or(o.Lease, time.Minute)
	if o.OnTurn == nil {
		o.OnTurn = func() {}
	}
	if o.OnPanic == nil {
		o.OnPanic = func(string) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &o
}

// Ingester polls the sources of a store. It is safe for concurrent use.
type Ingester struct {
	store    Store
	opts     *Options                // of New
	reloaded atomic.Pointer[Options] // of the last Reload, or of New
	client   *fetch.Client
	metrics  *metrics
	contacts contacts
	jitter   func() float64 // in [0, 1)

	subscriber *Subscriber // nil: no push
}

// New returns an Ingester that polls while Run runs.
func New(store Store, opts Options) *Ingester {
	in := &Ingester{store: store, opts: opts.withDefaults(), metrics: newMetrics(opts.Registerer), jitter: rand.Float64}
	in.reloaded.Store(in.opts)
	in.client = fetch.New(opts.Fetch, in.opts.Workers)
	return in
}

// Reload replaces Interval, MinInterval, MaxEntries and Fetch for new polls. It ignores the other options.
func (in *Ingester) Reload(opts Options) {
	in.reloaded.Store(opts.withDefaults())
	in.client.Reload(opts.Fetch)
}
