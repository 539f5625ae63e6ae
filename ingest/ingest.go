package ingest

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store/feed"
)

// Store keeps the sources, their due times and their entries. Every method may be called concurrently. An error that
// is feed.ErrUnavailable means "not now"; the call is then repeated.
type Store interface {
	// ClaimSources leases up to most sources whose poll is due, the one that is due longest first. Nobody else gets
	// them until the lease ends or the claim is finished or released. How close together the polls at one host may be is
	// the store's to know, because several daemons share it.
	ClaimSources(ctx context.Context, most int, lease time.Duration) ([]feed.Claim, error)
	// ClaimSource leases one source whether it is due or not, for a person who asked. feed.ErrNotFound: there is none;
	// feed.ErrConflict: it is paused, taken, or must not be polled yet.
	ClaimSource(ctx context.Context, id string, lease time.Duration) (feed.Claim, error)
	// CompareEntries says what SaveEntries would make of each entry of a document, and writes nothing.
	CompareEntries(ctx context.Context, source feed.Source, doc feed.Document) ([]feed.Comparison, error)
	// NextDue is when the next poll falls due; the zero time: none is scheduled.
	NextDue(ctx context.Context) (time.Time, error)
	// ClockSetBack brings forward what a clock planned that has been set back since, and tells how many sources that were.
	// Twice does no harm.
	ClockSetBack(ctx context.Context) (int, error)
	// SaveEntries writes what is new or changed in a document together with the signals that tell of it, all or
	// nothing. Saving a document again changes and signals nothing. A claim without a token is no lease, but a push; the
	// source has to exist. feed.ErrLeaseLost: nothing was written.
	SaveEntries(ctx context.Context, claim feed.Claim, doc feed.Document) (feed.Saved, error)
	// RenewLease lengthens the lease of a claim from now on. feed.ErrLeaseLost: somebody else may have the source.
	RenewLease(ctx context.Context, claim feed.Claim, lease time.Duration) error
	// FinishPoll replaces the source's whole poll state, adds a line to its history, schedules it for State.NextPoll and
	// ends the lease; until PauseHost no source of the same host is claimed. A state with Gone set is scheduled never
	// again. feed.ErrLeaseLost: nothing was written.
	FinishPoll(ctx context.Context, claim feed.Claim, polled feed.PollResult) error
	// ReleaseSource gives a claim back unused: the source is due as before.
	ReleaseSource(ctx context.Context, claim feed.Claim) error
}

// Options are the choices an Ingester works by. The zero value works.
type Options struct {
	Workers       int            // polls at the same time; default 16
	Interval      time.Duration  // between polls of a source that names none; default: adaptive
	MinInterval   time.Duration  // the shortest adaptive interval; default 15 min, negative: none
	Timeout       time.Duration  // of one fetch, from the first byte sent to the last received; default 30 s
	MaxBytes      int64          // of a document, after decompression; default 8 MiB
	MaxRedirects  int            // followed for one fetch; default 5, negative: none
	MaxEntries    int            // in one document; default 2000
	AllowNetworks []netip.Prefix // private networks that may be dialled; default: none
	UserAgent     string         // default "feedwire (+https://github.com/feedwire/feedwire)"
	Proxy         string         // URL of the HTTP or SOCKS5 proxy for all sources that name none; default: none
	Lease         time.Duration  // of a claim, renewed while a poll lasts; default 1 min

	// OnDocument is given each document that is about to be saved, as it came but decompressed. An error that is
	// feed.ErrUnavailable means "not now". nil: nobody.
	OnDocument func(ctx context.Context, feedURL, contentType string, body []byte) error

	Wake       <-chan struct{}        // a token in it says that something was made due; nil: that is seen within a second
	OnTurn     func()                 // told whenever the claiming loop turns, at least every 10 s unless it hangs; nil: nobody
	OnPanic    func(component string) // told of each recovered panic, component "poll"; nil: nobody
	Logger     *slog.Logger           // nil: discard
	Registerer prometheus.Registerer  // nil: metrics are kept but not registered
	Now        func() time.Time       // nil: time.Now
}

// withDefaults fills in what was left zero.
func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = 16
	}
	if o.MinInterval == 0 {
		o.MinInterval = 15 * time.Minute
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 8 << 20
	}
	if o.MaxRedirects == 0 {
		o.MaxRedirects = 5
	}
	if o.MaxEntries <= 0 {
		o.MaxEntries = 2000
	}
	if o.UserAgent == "" {
		o.UserAgent = "feedwire (+https://github.com/feedwire/feedwire)"
	}
	if o.Lease <= 0 {
		o.Lease = time.Minute
	}
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
	return o
}

// Ingester polls the sources of a store. All its methods may be called concurrently.
type Ingester struct {
	store     Store
	opts      Options                 // of the start
	changed   atomic.Pointer[Options] // by Reload; nil: it was not called
	guard     *guard
	transport http.RoundTripper
	metrics   *metrics
	contacts  contacts
	jitter    func() float64 // in [0, 1)

	subscriber *Subscriber // nil: nothing is pushed
}

// New returns an Ingester that works when Run is called.
func New(store Store, opts Options) *Ingester {
	opts = opts.withDefaults()
	in := &Ingester{store: store, opts: opts, metrics: newMetrics(opts.Registerer), jitter: rand.Float64}
	in.guard = newGuard(func() []netip.Prefix { return in.terms().AllowNetworks })
	in.transport = newTransport(in.guard, opts.Workers)
	return in
}

// Reload takes over how sources are asked: Interval, MinInterval, Timeout, MaxBytes, MaxRedirects, MaxEntries,
// AllowNetworks, UserAgent and Proxy. All else stays as it was with New. Polls under way go on.
func (in *Ingester) Reload(opts Options) {
	opts = opts.withDefaults()
	in.changed.Store(&opts)
	// An idle connection may lead where no new one would be opened now.
	(&http.Client{Transport: in.transport}).CloseIdleConnections()
}

// terms are the options by which sources are asked at this moment.
func (in *Ingester) terms() *Options {
	if changed := in.changed.Load(); changed != nil {
		return changed
	}
	return &in.opts
}
