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
	outlets map[string]*outlet
	types   []string
	opts    Options
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
	p := &Publisher{outlets: make(map[string]*outlet, len(feeds)), opts: opts}
	m := newMetrics(opts.Registerer)
	for _, f := range feeds {
		p.add(store, withDefaults(f), m.of(f.Type))
	}
	slices.Sort(p.types)
	return p
}

// add serves a feed in all forms of its profile. They count the same impressions: an article that was fetched in one form
// was fetched.
func (p *Publisher) add(store Store, f feed.Outgoing, m *feedMetrics) {
	wants, ok := profile.Find(f.Profile, p.opts.Profiles)
	if !ok {
		wants = profile.New(f.Profile)
	}
	guests := &guestbook{opts: p.opts, typ: f.Type}
	recorder := newRecorder(store, f, p.opts, m, func() { p.Changed(f.Type) })
	cleaner := body.New(body.Policy{Tags: wants.Tags, EmbedHosts: wants.Embeds, MaxDepth: wants.Depth})
	rules := map[string]*instant.Rules{"": p.opts.FeedRules[f.Type]}
	for source, own := range p.opts.SourceRules {
		rules[source] = own.Before(rules[""])
	}
	for i, name := range wants.Forms {
		suffixed := f.Type + "." + name
		o := &outlet{
			Outgoing: f, name: suffixed, profile: wants, form: formOf(name), cleaner: cleaner, rules: rules, store: store, opts: p.opts,
			secret: newSecret(f.Username, f.Password), recorder: recorder, guests: guests, metrics: m, items: make(map[itemKey][]byte),
			visitors: newVisitors(f), lost: make(chan struct{}, 1), ages: make(chan struct{}, 1),
		}
		if i == 0 {
			o.name = f.Type
		}
		o.disk = newCopy(o)
		p.outlets[o.name], p.outlets[suffixed] = o, o
		p.types = append(p.types, o.name)
	}
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
	for _, name := range p.types {
		o := p.outlets[name]
		if o.name == o.Type { // the other forms share its recorder and guestbook
			wg.Go(func() { o.recorder.run(ctx) })
			wg.Go(func() { o.guests.run(ctx) })
		}
		wg.Go(func() { o.watch(ctx) })
		wg.Go(func() { o.disk.run(ctx, o.good) })
	}
	wg.Wait()
	return nil
}

// Changed tells that this daemon changed what a feed shows, so that all answers that begin from now on show it. What
// others change is seen by requests that count at once, and by the rest within Options.Freshness.
func (p *Publisher) Changed(typ string) {
	for _, o := range p.outlets {
		if o.Type == typ {
			o.changes.Add(1)
		}
	}
}
