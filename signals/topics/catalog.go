// Package topics knows the topics of the hub and what their subscribers receive: a Catalog resolves the URLs of topics, adds and checks
// open topics, and makes the distributions.
package topics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/signals/pace"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what a Catalog needs. Implementations must be safe for concurrent use. All methods may return
// feed.ErrUnavailable: retry later.
type Store interface {
	// Source returns a source. feed.ErrNotFound: it does not exist. SourceByURL does the same by its URL.
	Source(ctx context.Context, id string) (feed.Source, error)
	SourceByURL(ctx context.Context, url string) (feed.Source, error)
	// Sources returns all sources.
	Sources(ctx context.Context) ([]feed.Source, error)
	// AddSource adds a source, or returns the existing one.
	AddSource(ctx context.Context, src feed.Source) (feed.Source, bool, error)
	// RemoveSource removes a source. Revision 0 removes any. feed.ErrNotFound: it does not exist.
	RemoveSource(ctx context.Context, id string, revision int) error
	// PollSource makes a source due, after its minimum interval. feed.ErrConflict: it is paused.
	PollSource(ctx context.Context, id string, revision int) error
	// SourceDocument returns the stored document of a source. feed.ErrNotFound: none is stored.
	SourceDocument(ctx context.Context, feedURL string) (feed.Distribution, error)
	// HasTakedowns reports whether entries of a source were taken down that its document may still list.
	HasTakedowns(ctx context.Context, feedURL string) (bool, error)
	// Deleted returns the entries of a source that were taken down last, newest first.
	Deleted(ctx context.Context, feedURL string) ([]feed.DeletedEntry, error)
	// EntriesBetween returns up to limit entries of a source between two guids. feed.ErrNotFound: a guid is unknown.
	EntriesBetween(ctx context.Context, feedURL, before, after string, limit int) ([]feed.Entry, error)
	// LoadEntries returns entries. It leaves out those that do not exist.
	LoadEntries(ctx context.Context, refs []feed.EntryRef) ([]feed.Entry, error)
	// HaveSubscribers reports for each topic whether it has subscribers.
	HaveSubscribers(ctx context.Context, topics []string) ([]bool, error)
	// IdleTopics returns those topics that have had no subscribers for a time.
	IdleTopics(ctx context.Context, topics []string, idle time.Duration) ([]string, error)
	// AddPublicURL stores a public URL of this installation and returns all that are stored. ForgetPublicURL removes one.
	AddPublicURL(ctx context.Context, url string) ([]string, error)
	ForgetPublicURL(ctx context.Context, url string) error
	// Subscription returns a subscription. feed.ErrNotFound: it does not exist.
	Subscription(ctx context.Context, id string) (feed.Subscription, error)
	// Subscribe creates or replaces a subscription.
	Subscribe(ctx context.Context, sub *feed.Subscription) error
	// Lists returns all lists.
	Lists(ctx context.Context) ([]feed.EntryList, error)
	OpenStore
}

// OutgoingFeeds are the outgoing feeds of this installation.
type OutgoingFeeds interface {
	// Topics returns the names of the feeds that can be subscribed to, one for each format, by their topics.
	Topics() map[string]string
	// Document returns the feed with a name as it is served.
	Document(ctx context.Context, name string) (feed.Distribution, error)
}

// RepublishedFeeds are the feeds of the sources and the lists of this installation.
type RepublishedFeeds interface {
	// URLs returns the topics of a source.
	URLs(source string) []string
	// SourceOf returns the id of the source with a topic, or "".
	SourceOf(topic string) string
	// ListURLs returns the topics of a list; none if lists are not public.
	ListURLs(list string) []string
	// ListOf returns the name of the list with a topic, or "".
	ListOf(topic string) string
	// Document returns a feed as it is served. feed.ErrNotFound: the source or the list does not exist or is private.
	Document(ctx context.Context, topic string) (feed.Distribution, error)
}

// Options configure a Catalog. All fields are required unless stated.
type Options struct {
	HubURL      string
	PublicURL   string // that the topics of Outgoing and Republished begin with
	Outgoing    OutgoingFeeds
	Republished RepublishedFeeds
	// Discover returns the feeds at a URL.
	Discover func(ctx context.Context, url string) ([]feed.Candidate, error)
	// Fetch fetches the document of an open topic, conditionally if the topic has validators.
	Fetch func(ctx context.Context, t *feed.OpenTopic) (feed.OpenDocument, error)
	Open  func() OpenOptions // nil: there are no open topics
	// Accept parses and saves a document of a source that its publisher sent. A *feed.PollError describes the document.
	Accept func(ctx context.Context, source feed.Source, contentType string, body []byte) error

	Logger     *slog.Logger           // nil discards
	Registerer prometheus.Registerer  // nil disables registration
	Now        func() time.Time       // nil means time.Now
	OnPanic    func(component string) // called with "signal" for each recovered panic; nil disables it
}

// Catalog holds the topics of an installation: outgoing feeds without a password, sources by their URL, the republished
// feeds of public sources, the feeds of lists, and open topics.
type Catalog struct {
	store   Store
	opts    Options
	metrics *openMetrics
	adding  sync.Mutex               // serialises AddTopic, so that OpenOptions.Topics holds
	former  atomic.Pointer[[]string] // former public URLs; nil: not read yet
	wakeup  chan struct{}            // has a token if an open topic may be due
	news    newsCache                // of Shape

	hostsMu   sync.Mutex
	hosts     *pace.Pacer   // checks of open topics, by host
	hostDelay time.Duration // of hosts
}

// New returns a Catalog.
func New(store Store, opts Options) *Catalog {
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.OnPanic == nil {
		opts.OnPanic = func(string) {}
	}
	return &Catalog{store: store, opts: opts, metrics: newOpenMetrics(opts.Registerer), wakeup: make(chan struct{}, 1)}
}

// outgoing returns the topic and the name of the outgoing feed with a canonical URL, or "".
func (c *Catalog) outgoing(url string) (topic, name string) {
	for topic, name := range c.opts.Outgoing.Topics() {
		if canonical, err := feed.CanonicalURL(topic); err == nil && canonical == url {
			return topic, name
		}
	}
	return "", ""
}

// ResolveTopic returns the name of the topic with a URL, which may be another spelling of it. feed.ErrNotFound: the hub does not
// distribute it.
func (c *Catalog) ResolveTopic(ctx context.Context, url string) (string, error) {
	topic, err := feed.CanonicalURL(url)
	if err != nil {
		return "", fmt.Errorf("topic: %w", feed.ErrNotFound)
	}
	current, err := c.resolveAlias(ctx, topic)
	if err != nil {
		return "", err
	}
	if own, _ := c.outgoing(current); own != "" {
		if current != topic {
			return topic, nil
		}
		return own, nil
	}
	if id := c.opts.Republished.SourceOf(current); id != "" {
		source, err := c.store.Source(ctx, id)
		if err == nil && source.Private() {
			err = fmt.Errorf("topic of a private source: %w", feed.ErrNotFound)
		}
		return topic, err
	}
	if c.opts.Republished.ListOf(current) != "" {
		_, err := c.opts.Republished.Document(ctx, current)
		return topic, err
	}
	source, err := c.store.SourceByURL(ctx, topic)
	if errors.Is(err, feed.ErrNotFound) {
		return c.resolveOpen(ctx, topic)
	}
	return source.URL, err
}

// RefreshTopic checks a topic for news. It makes a source due; the store delays a source that was polled a moment ago. It is a
// no-op for a paused source, and for an outgoing feed or a list, which the engine checks anyway.
func (c *Catalog) RefreshTopic(ctx context.Context, topic string) error {
	topic = c.current(topic)
	if own, _ := c.outgoing(topic); own != "" || c.opts.Republished.ListOf(topic) != "" {
		return nil
	}
	err := c.store.PollSource(ctx, cmp.Or(c.opts.Republished.SourceOf(topic), feed.SourceID(topic)), 0)
	switch {
	case errors.Is(err, feed.ErrConflict):
		return nil
	case errors.Is(err, feed.ErrNotFound):
		err = c.refreshOpen(ctx, topic)
		retry.Wake(c.wakeup)
	}
	return err
}

// defaultRetrieved is the number of retrieved entries if the request does not name one.
const defaultRetrieved = 10

// Document returns the current document of a topic, or the selected entries. feed.ErrNotFound: there is none yet; feed.ErrConflict:
// entries of this topic cannot be selected. For a source it returns the stored document, or a feed of its entries if no document is stored
// or entries are selected. The document of an open topic is fetched.
func (c *Catalog) Document(ctx context.Context, topic string, entries feed.EntryRange) (d feed.Distribution, err error) {
	topic = c.current(topic)
	whole := entries == feed.EntryRange{}
	_, name := c.outgoing(topic)
	republished := c.opts.Republished.SourceOf(topic)+c.opts.Republished.ListOf(topic) != ""
	switch {
	case !whole && (name != "" || republished):
		return d, fmt.Errorf("entries of this topic cannot be selected: %w", feed.ErrConflict)
	case name != "":
		return c.opts.Outgoing.Document(ctx, name)
	case republished:
		return c.opts.Republished.Document(ctx, topic)
	case whole:
		if d, err = c.sourceDocument(ctx, topic); !errors.Is(err, feed.ErrNotFound) && !errors.Is(err, feed.ErrConflict) {
			return d, err
		}
	}
	if d, err = c.entriesDocument(ctx, topic, entries); errors.Is(err, feed.ErrNotFound) {
		return c.openDocument(ctx, topic, entries)
	}
	return d, err
}

func (c *Catalog) entriesDocument(ctx context.Context, topic string, selected feed.EntryRange) (d feed.Distribution, err error) {
	source, err := c.store.SourceByURL(ctx, topic)
	if err != nil {
		return d, err
	}
	before, after := feedxml.EntryGUID(selected.Before, topic), feedxml.EntryGUID(selected.After, topic)
	all, err := c.store.EntriesBetween(ctx, topic, before, after, cmp.Or(selected.Count, defaultRetrieved))
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return d, fmt.Errorf("before or after: %w", feed.ErrConflict)
	case err != nil:
		return d, err
	case len(all) == 0 && selected == feed.EntryRange{}:
		return d, feed.ErrNotFound
	}
	changed := source.Poll.LastDocument
	entries := make([]*feed.Entry, len(all))
	for i := range all {
		changed = cmp.Or(changed, all[i].Timestamp) // a source that is only pushed to has no LastDocument
		entries[i] = &all[i]
	}
	return c.encode(&source, entries, nil, changed)
}
