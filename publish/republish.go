package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// SourceStore is what republishing needs of the store. Its errors are feed.ErrNotFound where there is no such source, and
// feed.ErrUnavailable where trying again later may help.
type SourceStore interface {
	// SourceVersion changes whenever Source, as far as its feed shows it or its privacy goes, or Entries give another answer.
	SourceVersion(ctx context.Context, id string, limit int) (string, error)
	// Source is a source by its id.
	Source(ctx context.Context, id string) (feed.Source, error)
	// Entries are the newest entries of a source, newest first.
	Entries(ctx context.Context, feedURL string, limit int) ([]feed.Entry, error)
}

// RepublishOptions are what a Republisher can do without. The zero value works.
type RepublishOptions struct {
	HubURL     string                   // where feeds of sources can be subscribed to; empty: nowhere
	Entries    int                      // of a feed; 0: 50
	Bytes      int                      // of text in a feed, that of the newest entries; 0: 4 MiB
	CacheBytes int                      // of the documents that are kept; 0: 32 MiB
	Policy     body.Policy              // of the HTML in them
	Trusted    func(*http.Request) bool // who may read the feeds of private sources; nil: nobody
	Logger     *slog.Logger             // nil: discard
	Registerer prometheus.Registerer    // nil: metrics are kept and not shown
	Now        func() time.Time         // nil: time.Now
}

// away is for how long the store is not asked again once it did not answer, so that not every request waits for it.
const away = time.Second

// Republisher serves each source as a feed of its own, cleaned, as RSS, Atom and JSON Feed. It is an http.Handler for
// the patterns "/sources/{id}/feed.rss", ".atom" and ".json".
type Republisher struct {
	store   SourceStore
	public  string
	opts    RepublishOptions
	profile profile.Profile
	cleaner *body.Cleaner
	metrics *republishMetrics
	looks   singleflight.Group
	kept    *documents
	lost    atomic.Int64 // when the store did not answer last, Unix nanoseconds
}

// NewRepublisher makes a Republisher of the sources in store. publicURL is that of the daemon, without a final slash.
func NewRepublisher(store SourceStore, publicURL string, opts RepublishOptions) *Republisher {
	if opts.Entries <= 0 {
		opts.Entries = 50
	}
	if opts.Bytes <= 0 {
		opts.Bytes = 4 << 20
	}
	if opts.CacheBytes <= 0 {
		opts.CacheBytes = 32 << 20
	}
	if opts.Trusted == nil {
		opts.Trusted = func(*http.Request) bool { return false }
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	m := newRepublishMetrics(opts.Registerer)
	return &Republisher{
		store: store, public: publicURL, opts: opts, profile: sourceProfile(), cleaner: body.New(opts.Policy), metrics: m,
		kept: newDocuments(opts.CacheBytes, m.bytes),
	}
}

// reissue names one feed of a source, by a form as paths end.
type reissue struct{ id, format string }

func formats() []string { return []string{profile.RSS, profile.Atom, profile.JSON} }

// current is the feed as it is now. Requests for one feed that come together share a look at the store.
func (r *Republisher) current(ctx context.Context, of reissue) edition {
	result, _, _ := r.looks.Do(of.id+"."+of.format, func() (any, error) {
		return r.look(context.WithoutCancel(ctx), of), nil
	})
	return result.(edition)
}

func (r *Republisher) look(ctx context.Context, of reissue) edition {
	kept := r.kept.get(of)
	if kept != nil && r.opts.Now().UnixNano()-r.lost.Load() < int64(away) {
		return edition{doc: kept, stale: true}
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	doc, err := r.refresh(ctx, of, kept)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		r.kept.drop(of)
		return edition{err: err}
	case err != nil:
		r.opts.Logger.Warn("feed of a source cannot be brought up to date", "source", of.id, "copy", kept != nil, "err", err)
		if errors.Is(err, feed.ErrUnavailable) {
			r.lost.Store(r.opts.Now().UnixNano())
		}
		if kept != nil {
			return edition{doc: kept, stale: true}
		}
		return edition{err: err}
	}
	return edition{doc: doc}
}

// refresh gives the kept document where the source has not changed since. The version is read before the entries, so that
// a change in between is seen by the next look.
func (r *Republisher) refresh(ctx context.Context, of reissue, kept *document) (*document, error) {
	version, err := r.store.SourceVersion(ctx, of.id, r.opts.Entries)
	if err != nil {
		return nil, fmt.Errorf("read version of source %s: %w", of.id, err)
	}
	if kept != nil && kept.version == version {
		return kept, nil
	}
	source, err := r.store.Source(ctx, of.id)
	if err != nil {
		return nil, fmt.Errorf("read source %s: %w", of.id, err)
	}
	entries, err := r.store.Entries(ctx, source.URL, r.opts.Entries)
	if err != nil {
		return nil, fmt.Errorf("read entries of source %s: %w", of.id, err)
	}
	doc, err := r.render(&source, entries, of, kept)
	if err != nil {
		return nil, err
	}
	doc.version = version
	r.kept.put(of, doc)
	return doc, nil
}

// render writes the feed. Only entries that the last document has not are cleaned and encoded.
func (r *Republisher) render(source *feed.Source, entries []feed.Entry, of reissue, last *document) (*document, error) {
	f := formOf(of.format)
	keys, parts, changed, err := r.parts(source, entries, of, last)
	if err != nil {
		return nil, fmt.Errorf("encode entries of source %s: %w", of.id, err)
	}
	encoded := make([][]byte, len(parts))
	for i, p := range parts {
		encoded[i] = p.encoded
	}
	c := r.channelOf(source, of, changed)
	content, err := f.encode(c, &r.profile, encoded)
	if err != nil {
		return nil, fmt.Errorf("encode feed of source %s: %w", of.id, err)
	}
	r.metrics.renders.Inc()
	doc := &document{private: source.Private()}
	l := label{mediaType: f.mediaType, private: doc.private, self: c.self, hub: c.hub}
	l.finish(doc, last, content, r.opts.Now())
	doc.keep(keys, parts)
	return doc, nil
}
