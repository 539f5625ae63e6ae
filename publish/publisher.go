package publish

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what publishing needs of the store. Its errors are feed.ErrUnavailable where trying again later may help.
type Store interface {
	// FeedVersion changes whenever PublishedArticles could give another answer, time passing aside.
	FeedVersion(ctx context.Context, typ string) (string, error)
	// PublishedArticles gives the articles published at or after since that have fewer than retireAfter impressions,
	// oldest publication first; or where none retires (0), newest publication first. They have Content and Feeds[typ]. It
	// looks at no more than limit articles from offset on; next is the offset to go on from, 0 at the end.
	PublishedArticles(ctx context.Context, typ string, since time.Time, retireAfter, offset, limit int) (
		articles []feed.Article, next int, err error)
	// RecordImpressions counts completed fetches and promotes what has reached retireAfter, in one step. A fetch whose id
	// it knows counts nothing; what it did the first time is in the answer again.
	RecordImpressions(ctx context.Context, typ string, fetches feed.Fetches, retireAfter int) (feed.ImpressionResult, error)
}

// Options are what a Publisher can do without. The zero value works.
type Options struct {
	Dir           string                           // for the journal and the last good copies; empty: none are kept
	PublicURL     string                           // of the daemon, without a final slash; empty: no self links
	HubURL        string                           // where feeds without a password can be subscribed to; empty: nowhere
	Profiles      []profile.Profile                // of the configuration, besides the built-in ones
	FeedRules     map[string]*instant.Rules        // for instant articles, by type of feed; nil: none
	SourceRules   map[string]*instant.Rules        // likewise, by URL of the source; they go before those of the feed
	Queue         int                              // fetches of a feed that may wait to be recorded; 0: 10,000
	Freshness     time.Duration                    // how old an answer may be that does not count; 0: 100 ms, negative: not at all
	OnPromoted    func(typ string, uuids []string) // after articles reached the limit; nil: nothing
	OnAuthFailure func(method string)              // after wrong credentials, method "basic"; nil: nothing
	OnPanic       func(component string)           // told of each recovered panic, component "feed"; nil: nobody

	// AddVisits remembers who came for a feed, oldest first, for people to look at; nil: nobody does.
	AddVisits func(ctx context.Context, typ string, visits []feed.Visit) error

	Logger     *slog.Logger          // nil: discard
	Registerer prometheus.Registerer // nil: metrics are kept and not shown
	Now        func() time.Time      // nil: time.Now
}

const (
	storeTimeout = 2 * time.Second  // of recording one fetch
	askTimeout   = 2 * time.Second  // of asking for the version of a feed
	lookTimeout  = 10 * time.Second // of all that one look reads: mostly a version, or that and one page of articles
	defaultQueue = 10_000
)

// Publisher serves outgoing feeds. It is an http.Handler for the pattern "/feed/{type}".
type Publisher struct {
	store   Store
	opts    Options // of the start
	metrics *metrics
	serving atomic.Pointer[lineup]

	mu      sync.Mutex                                // held by Reload, and by Run where it starts and where it ends
	ledgers map[string]*ledger                        // by type, also of feeds that are served no more: their last answers may be under way
	stops   map[*outlet]func()                        // of the outlets that run; each returns when its outlet has ended
	start   func(func(context.Context)) (stop func()) // runs something until it is stopped; nil: Run does not run
}

// lineup is the feeds that are served at one time.
type lineup struct {
	outlets map[string]*outlet // by name; the first form of a profile has two
	types   []string           // names of the outlets, sorted
}

// ledger is what the answers of a feed are written down in, whatever becomes of its settings.
type ledger struct {
	recorder *recorder
	guests   *guestbook
	metrics  *feedMetrics
}

// outlet is one feed being served in one form.
type outlet struct {
	feed.Outgoing
	name     string // in the path: "production", or "production.atom" for a form that is not the profile's first
	profile  profile.Profile
	form     form
	cleaner  *body.Cleaner
	rules    map[string]*instant.Rules // by URL of the source; "": of all others
	store    Store
	opts     Options
	secret   *secret // nil: open to all
	gate     gate
	recorder *recorder
	guests   *guestbook
	metrics  *feedMetrics
	visitors *visitors
	disk     *diskCopy // nil: there is none
	settings string    // digest of what the document depends on besides the articles

	seen     atomic.Pointer[sight] // of the last look; nil: there was none
	renewing atomic.Bool           // watch was told that what the last look brought ages
	changes  atomic.Uint64         // that this daemon made
	away     atomic.Bool           // the store is, and watch looks for it
	watched  atomic.Bool           // watch runs
	lost     chan struct{}         // to watch: the store is away
	ages     chan struct{}         // to watch: what the last look brought is half as old as it may get
	holds    holds

	// Owned by the leader of the gate.
	doc    *document
	items  map[itemKey][]byte // renderings of the articles looked at; nil for one that cannot be rendered
	behind bool               // the last look at the store failed
	asked  bool               // the copy on disk was
	copied bool               // doc is that copy
}

// New makes a Publisher of feeds, whose types are unique. One whose profile is not known is served as New of
// publish/profile has it, and one that names none as instant articles. Run must run for impressions to be recorded.
func New(store Store, feeds []feed.Outgoing, opts Options) *Publisher {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Queue <= 0 {
		opts.Queue = defaultQueue
	}
	if opts.Freshness == 0 {
		opts.Freshness = defaultFreshness
	}
	if opts.OnPanic == nil {
		opts.OnPanic = func(string) {}
	}
	p := &Publisher{
		store: store, opts: opts, metrics: newMetrics(opts.Registerer), ledgers: make(map[string]*ledger), stops: make(map[*outlet]func()),
	}
	p.serving.Store(p.arrange(feeds, opts))
	return p
}

// Reload serves these feeds from now on, with Profiles, FeedRules and SourceRules of opts; all else stays as it was with
// New. What of a feed has not changed is not touched. Answers under way end as they began, and their impressions count.
// While the store is away, a feed that has changed goes on with the last good copy of what it was.
func (p *Publisher) Reload(feeds []feed.Outgoing, opts Options) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.opts
	all.Profiles, all.FeedRules, all.SourceRules = opts.Profiles, opts.FeedRules, opts.SourceRules
	was, is := p.serving.Load(), p.arrange(feeds, all)
	p.serving.Store(is)
	for typ, l := range p.ledgers {
		if _, served := is.outlets[typ]; !served {
			l.metrics.items.Set(0)
			l.metrics.heldBack.Set(0)
		}
	}
	var ending sync.WaitGroup
	for name, o := range was.outlets {
		if stop := p.stops[o]; stop != nil && is.outlets[name] != o {
			ending.Go(stop)
			delete(p.stops, o)
		}
	}
	ending.Wait() // lest the old one and the new one write the same copy
	p.runOutlets()
}

// arrange makes the outlets of feeds, as far as they are not served already as they shall be. p.mu is held, or nobody else
// knows p.
func (p *Publisher) arrange(feeds []feed.Outgoing, opts Options) *lineup {
	l := &lineup{outlets: make(map[string]*outlet, len(feeds))}
	for _, f := range feeds {
		p.add(l, withDefaults(f), opts)
	}
	slices.Sort(l.types)
	return l
}

// ledgerOf is the ledger of a feed.
func (p *Publisher) ledgerOf(f *feed.Outgoing) *ledger {
	l := p.ledgers[f.Type]
	if l == nil {
		l = &ledger{guests: &guestbook{opts: p.opts, typ: f.Type}, metrics: p.metrics.of(f.Type)}
		l.recorder = newRecorder(p.store, f.Type, p.opts, l.metrics, func() { p.Changed(f.Type) })
		p.ledgers[f.Type] = l
		if p.start != nil {
			l.run(p.start)
		}
	}
	l.recorder.retireAfter.Store(int64(f.RetireAfter))
	return l
}

func (l *ledger) run(start func(func(context.Context)) func()) {
	start(l.recorder.run)
	start(l.guests.run)
}

// add serves a feed in all forms of its profile. They count the same impressions: an article that was fetched in one form
// was fetched.
func (p *Publisher) add(l *lineup, f feed.Outgoing, opts Options) {
	wants, ok := profile.Find(f.Profile, opts.Profiles)
	if !ok {
		wants = profile.New(f.Profile)
	}
	written := p.ledgerOf(&f)
	cleaner := body.New(body.Policy{Tags: wants.Tags, EmbedHosts: wants.Embeds, MaxDepth: wants.Depth})
	rules := map[string]*instant.Rules{"": opts.FeedRules[f.Type]}
	for source, own := range opts.SourceRules {
		rules[source] = own.Before(rules[""])
	}
	for i, name := range wants.Forms {
		suffixed := f.Type + "." + name
		o := &outlet{
			Outgoing: f, name: suffixed, profile: wants, form: formOf(name), cleaner: cleaner, rules: rules, store: p.store, opts: opts,
			secret: newSecret(f.Username, f.Password), recorder: written.recorder, guests: written.guests, metrics: written.metrics,
			items: make(map[itemKey][]byte), visitors: newVisitors(f), lost: make(chan struct{}, 1), ages: make(chan struct{}, 1),
		}
		if i == 0 {
			o.name = f.Type
		}
		o.settings = digestOf(o)
		o.disk = newCopy(o)
		if was := p.outlet(o.name); was != nil {
			o = was.next(o)
		}
		l.outlets[o.name], l.outlets[suffixed] = o, o
		l.types = append(l.types, o.name)
	}
}

// next is what serves in the place of o from now on: o itself, if its settings are the wanted ones.
func (o *outlet) next(wanted *outlet) *outlet {
	if o.settings == wanted.settings {
		return o
	}
	if seen := o.seen.Load(); seen != nil && seen.doc != nil { // for as long as the store cannot be asked
		wanted.doc, wanted.asked, wanted.copied = seen.doc, true, true
	}
	return wanted
}

// outlet is what serves a name at this moment; nil: nothing does.
func (p *Publisher) outlet(name string) *outlet {
	if l := p.serving.Load(); l != nil {
		return l.outlets[name]
	}
	return nil
}

// withDefaults fills what a document cannot do without.
func withDefaults(f feed.Outgoing) feed.Outgoing {
	if f.Profile == "" {
		f.Profile = profile.InstantArticles
	}
	if f.Window <= 0 {
		f.Window = feed.DefaultWindow
	}
	if f.MaxItems <= 0 {
		f.MaxItems = feed.DefaultItems
	}
	if f.Title == "" {
		f.Title = f.Type
	}
	if f.Description == "" {
		f.Description = f.Title
	}
	return f
}

// Run records impressions until ctx ends, and then for up to five seconds what is still on its way; what the store does
// not take by then is in the journal. It returns nil.
func (p *Publisher) Run(ctx context.Context) error {
	p.forgetCopies()
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
	for _, l := range p.ledgers {
		l.run(p.start)
	}
	p.runOutlets()
	p.mu.Unlock()
	<-ctx.Done()
	p.mu.Lock()
	p.start = nil
	clear(p.stops)
	p.mu.Unlock()
	wg.Wait()
	return nil
}

// runOutlets starts what the outlets that are served do by themselves, where it does not run; p.mu is held.
func (p *Publisher) runOutlets() {
	if p.start == nil {
		return
	}
	l := p.serving.Load()
	for _, name := range l.types {
		if o := l.outlets[name]; p.stops[o] == nil {
			p.stops[o] = p.start(o.run)
		}
	}
}

// run looks at the store and keeps the copy on disk until ctx ends.
func (o *outlet) run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { o.watch(ctx) })
	wg.Go(func() { o.disk.run(ctx, o.good) })
	wg.Wait()
}

// Changed tells that this daemon changed what a feed shows, so that all answers that begin from now on show it. What
// others change is seen by requests that count at once, and by the rest within Options.Freshness.
func (p *Publisher) Changed(typ string) {
	for _, o := range p.serving.Load().outlets {
		if o.Type == typ {
			o.changes.Add(1)
		}
	}
}
