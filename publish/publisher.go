package publish

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what publishing needs of the store. Its errors are feed.ErrUnavailable where trying again later may help.
type Store interface {
	// FeedVersion changes whenever PublishedArticles could give another answer, time passing aside.
	FeedVersion(ctx context.Context, typ string) (string, error)
	// PublishedArticles gives the articles published at or after since that have fewer than retireAfter impressions
	// (0: any number), oldest publication first, with Content and Feeds[typ]. It looks at no more than limit articles
	// from offset on; next is the offset to go on from, 0 at the end.
	PublishedArticles(ctx context.Context, typ string, since time.Time, retireAfter, offset, limit int) (
		articles []feed.Article, next int, err error)
	// RecordImpressions counts one completed fetch and promotes what has reached retireAfter, in one step. The same
	// fetchID a second time counts nothing and gives the first answer again.
	RecordImpressions(ctx context.Context, typ, fetchID string, shown []feed.Impression, retireAfter int) (
		feed.ImpressionResult, error)
}

// Options are what a Publisher can do without. The zero value works.
type Options struct {
	PublicURL     string                           // of the daemon, without a final slash; empty: no self links
	HubURL        string                           // where feeds without a password can be subscribed to; empty: nowhere
	Copyright     string                           // footer of each article; empty: none
	Queue         int                              // fetches of a feed that may wait to be recorded; 0: 10,000
	OnPromoted    func(typ string, uuids []string) // after articles reached the limit; nil: nothing
	OnAuthFailure func(method string)              // after wrong credentials, method "basic"; nil: nothing
	Logger        *slog.Logger                     // nil: discard
	Registerer    prometheus.Registerer            // nil: metrics are kept and not shown
	Now           func() time.Time                 // nil: time.Now
}

const (
	storeTimeout = 2 * time.Second  // of recording one fetch
	lookTimeout  = 10 * time.Second // of all that one look reads: mostly a version, or that and one page of articles
	defaultQueue = 10_000
)

// Publisher serves outgoing feeds. It is an http.Handler for the pattern "/feed/{type}".
type Publisher struct {
	outlets map[string]*outlet
	types   []string
	opts    Options
}

// outlet is one feed being served.
type outlet struct {
	feed.Outgoing
	store    Store
	opts     Options
	secret   *secret // nil: open to all
	gate     gate
	recorder *recorder
	metrics  *feedMetrics

	// Owned by the leader of the gate.
	doc    *document
	items  map[itemKey][]byte // renderings of the articles looked at; nil for one that cannot be rendered
	behind bool               // the last look at the store failed
}

// New makes a Publisher of feeds, whose types are unique. Run must run for impressions to be recorded.
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
	p := &Publisher{outlets: make(map[string]*outlet, len(feeds)), opts: opts}
	m := newMetrics(opts.Registerer)
	for _, f := range feeds {
		f = withDefaults(f)
		o := &outlet{Outgoing: f, store: store, opts: opts, secret: newSecret(f.Username, f.Password), metrics: m.of(f.Type)}
		o.items = make(map[itemKey][]byte)
		o.recorder = newRecorder(store, f, opts, o.metrics)
		p.outlets[f.Type] = o
		p.types = append(p.types, f.Type)
	}
	slices.Sort(p.types)
	return p
}

// withDefaults fills what a document cannot do without.
func withDefaults(f feed.Outgoing) feed.Outgoing {
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

// Run records impressions until ctx ends, and then for up to five seconds what is still on its way. It returns nil.
func (p *Publisher) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, o := range p.outlets {
		wg.Go(func() { o.recorder.run(ctx) })
	}
	wg.Wait()
	return nil
}

// Preview gives the markup of an article as the feed typ would carry it, and what was changed to make it, one line
// each. It counts nothing. It returns feed.ErrNotFound for an unknown feed and the errors of instant.Transform.
func (p *Publisher) Preview(_ context.Context, a feed.Article, typ string) (markup string, warnings []string, err error) {
	o, ok := p.outlets[typ]
	if !ok {
		return "", nil, fmt.Errorf("preview for feed %q: %w", typ, feed.ErrNotFound)
	}
	markup, notes, err := o.transform(&a)
	for _, n := range notes {
		warnings = append(warnings, n.Message+": "+n.Markup)
	}
	return markup, warnings, err
}
