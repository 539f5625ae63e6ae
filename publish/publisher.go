package publish

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what publishing needs from the store. Errors are feed.ErrUnavailable if the store cannot answer now.
type Store interface {
	// FeedVersion changes whenever PublishedArticles returns something else, except as time passes.
	FeedVersion(ctx context.Context, typ string) (string, error)
	// PublishedArticles returns the articles published at or after since that have fewer than retireAfter impressions,
	// oldest publication first; or if retireAfter is 0, all of them, newest publication first. They have Content and
	// Feeds[typ]. It reads at most limit articles from offset on; next is the offset to continue from, 0 at the end.
	PublishedArticles(ctx context.Context, typ string, since time.Time, retireAfter, offset, limit int) (
		articles []feed.Article, next int, err error)
	// RecordImpressions counts completed fetches and promotes articles that have reached retireAfter, in one step. A fetch
	// with a known id counts nothing; the result repeats what it did the first time.
	RecordImpressions(ctx context.Context, typ string, fetches feed.Fetches, retireAfter int) (feed.ImpressionResult, error)
	// AddVisits stores requests for a feed, oldest first.
	AddVisits(ctx context.Context, typ string, visits []feed.Visit) error
}

// Options has a useful zero value.
type Options struct {
	Dir           string                            // for the journal and the last good copies; empty: none are kept
	PublicURL     string                            // of the daemon, without a final slash; empty: no self links
	HubURL        string                            // where feeds without a password can be subscribed to; empty: nowhere
	Profiles      []profile.Profile                 // of the configuration, besides the built-in ones
	FeedRules     map[string]*rulesfile.Rules       // for instant articles, by type of feed; nil: none
	SourceRules   map[string]*rulesfile.Rules       // likewise, by URL of the source; they precede those of the feed
	Queue         int                               // fetches of a feed that may wait to be recorded; 0: 10,000
	JournalBytes  int64                             // size limit of the journal of a feed; 0: 16 MiB
	Freshness     time.Duration                     // maximum age of a response that does not count; 0: 100 ms, negative: none
	OnPromoted    func(typ string, uuids []string)  // called after articles reached the limit; nil: nothing
	OnCredentials func(r *http.Request, right bool) // called for each request with credentials of HTTP Basic; nil: nothing
	OnPanic       func(component string)            // called after a recovered panic, component "feed"; nil: nothing

	Logger     *slog.Logger          // nil: discard
	Registerer prometheus.Registerer // nil: metrics are collected but not exposed
	Now        func() time.Time      // nil: time.Now
}

const (
	recordTimeout  = 2 * time.Second  // for recording fetches or visits
	versionTimeout = 2 * time.Second  // for reading the version of a feed
	refreshTimeout = 10 * time.Second // for all reads of one refresh: mostly a version, or a version and a page of articles
	defaultQueue   = 10_000
	defaultJournal = 16 << 20 // bytes
)

// Publisher serves outgoing feeds. It is an http.Handler for the pattern "/feed/{type}".
type Publisher struct {
	store   Store
	opts    Options // of New
	copies  *copies
	outlets atomic.Pointer[outlets]

	mu         sync.Mutex                                // held by Reload, and by Run while it starts and ends
	noCopies   bool                                      // KeepCopies(false) is in force
	accounting map[string]*accounting                    // by type, also of feeds that were removed: responses may be under way
	start      func(func(context.Context)) (stop func()) // runs a function until it is stopped; nil: Run does not run
}

// accounting records the fetches and visits of a feed. It survives changes of the feed's settings.
type accounting struct {
	recorder *recorder
	visits   *visitLog
	metrics  *metrics
}

func (a *accounting) run(start func(func(context.Context)) func()) {
	start(a.recorder.run)
	start(a.visits.run)
}

// New returns a Publisher of feeds with unique types. A feed with an unknown profile gets the defaults of profile.New, a
// feed without a profile is of instant articles. Run must run for impressions to be recorded.
func New(store Store, feeds []feed.Outgoing, opts Options) *Publisher {
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	opts.Queue, opts.JournalBytes = cmp.Or(opts.Queue, defaultQueue), cmp.Or(opts.JournalBytes, defaultJournal)
	opts.Freshness = cmp.Or(opts.Freshness, defaultFreshness)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.OnPanic == nil {
		opts.OnPanic = func(string) {}
	}
	p := &Publisher{store: store, opts: opts, copies: &copies{}, accounting: make(map[string]*accounting)}
	if opts.Dir != "" {
		p.copies.dir = filepath.Join(opts.Dir, copyDir)
	}
	p.outlets.Store(new(outlets))
	all := p.newOutlets(feeds, opts)
	p.outlets.Store(&all)
	return p
}

// accountingOf returns the accounting of a feed. p.mu is held, or p is not shared yet.
func (p *Publisher) accountingOf(f *feed.Outgoing) *accounting {
	a := p.accounting[f.Type]
	if a == nil {
		a = &accounting{visits: &visitLog{store: p.store, opts: p.opts, typ: f.Type}, metrics: newMetrics(p.opts.Registerer, f.Type)}
		a.recorder = newRecorder(p.store, f.Type, p.opts, a.metrics, func() { p.Changed(f.Type) })
		p.accounting[f.Type] = a
		if p.start != nil {
			a.run(p.start)
		}
	}
	a.recorder.retireAfter.Store(int64(f.RetireAfter))
	return a
}

// Reload replaces the feeds, and Profiles, FeedRules and SourceRules of the options. Feeds that have not changed are not
// touched. Responses under way end as they began, and their impressions count. While the store is unavailable, a changed feed
// serves the last good copy of what it was.
func (p *Publisher) Reload(feeds []feed.Outgoing, opts Options) {
	p.mu.Lock()
	defer p.mu.Unlock()
	merged := p.opts
	merged.Profiles, merged.FeedRules, merged.SourceRules = opts.Profiles, opts.FeedRules, opts.SourceRules
	before, after := *p.outlets.Load(), p.newOutlets(feeds, merged)
	p.outlets.Store(&after)
	for typ, a := range p.accounting {
		if after[typ] == nil {
			a.metrics.items.Set(0)
			a.metrics.blocked.Set(0)
		}
	}
	var ending sync.WaitGroup
	for name, o := range before {
		if o.stop != nil && after[name] != o {
			ending.Go(o.stop)
			o.stop = nil
		}
	}
	ending.Wait() // otherwise the old and the new outlet would write the same copy
	p.startOutlets()
}

// Run records impressions until ctx ends, and then for up to five seconds those on their way. What the store does not
// accept by then is in the journal. It returns nil.
func (p *Publisher) Run(ctx context.Context) error {
	p.removeCopies()
	var wg sync.WaitGroup
	p.mu.Lock()
	p.start = func(f func(context.Context)) func() {
		ctx, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		wg.Go(func() {
			defer close(ended)
			f(ctx)
		})
		return func() {
			stop()
			<-ended
		}
	}
	for _, a := range p.accounting {
		a.run(p.start)
	}
	p.startOutlets()
	p.mu.Unlock()
	<-ctx.Done()
	p.mu.Lock()
	p.start = nil
	p.mu.Unlock()
	wg.Wait()
	return nil
}

// startOutlets runs the outlets that do not run yet. p.mu is held.
func (p *Publisher) startOutlets() {
	if p.start == nil {
		return
	}
	for _, o := range *p.outlets.Load() {
		if o.stop == nil {
			o.stop = p.start(o.run)
		}
	}
}

// Refresh drops the documents from before a takedown, on disk and in memory, and brings all documents up to date, not only when they are
// requested.
func (p *Publisher) Refresh(ctx context.Context) {
	_ = p.Takedown(func() error { return nil })
	for _, o := range *p.outlets.Load() {
		o.changes.Add(1)
		o.probe(ctx)
	}
}

// Changed registers a change of a feed by this daemon, so that all responses that begin from now on show the change. Changes by
// others are visible at once to requests that count, and to the rest within Options.Freshness. While Run runs, the feed renders the
// change soon, so that blocked articles are known before a consumer fetches the feed.
func (p *Publisher) Changed(typ string) {
	for _, o := range *p.outlets.Load() {
		if o.Type == typ {
			o.changes.Add(1)
			retry.Wake(o.changed)
		}
	}
}
