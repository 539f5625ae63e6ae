package store

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/entry"
	"github.com/feedwire/feedwire/store/hub"
	"github.com/feedwire/feedwire/store/ops"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/signal"
	"github.com/feedwire/feedwire/store/source"
)

// DialFunc opens a connection to the store's server.
type DialFunc = core.DialFunc

// Options say where the store is and how to talk to it. One of URL and Dial is required.
type Options struct {
	URL          string                // as package address reads it
	Dial         core.DialFunc         // instead of a URL: the embedded server
	Prefix       string                // before each key; default none
	Sharded      bool                  // use the layout of a cluster on a single Redis, for tests
	Owner        string                // names this daemon in its leases, the same after a restart; default none
	TakeOver     time.Duration         // after which a signal that its reader took and left comes to another; default 30 s
	Pool         int                   // most connections; default 32
	Timeout      time.Duration         // of reading or writing one command; default 2 s
	HostDelay    time.Duration         // of source.Options
	SpareSelf    bool                  // of source.Options
	PollFloor    time.Duration         // of source.Options
	OnDue        func()                // of source.Options
	Spread       time.Duration         // of source.Options
	Logger       *slog.Logger          // default: discard
	FirstSignals int                   // of entry.Options
	Registerer   prometheus.Registerer // default: metrics go nowhere
	Now          func() time.Time      // default time.Now

	EditScript func(name, text string) string // as core.Options has it, for tests
}

// Store contains the store of each noun. It is safe for concurrent use. Errors other than those named on a method are a *core.Error,
// which is feed.ErrUnavailable if Redis cannot answer now.
type Store struct {
	Articles *article.Store
	Entries  *entry.Store
	Hub      *hub.Store
	Ops      *ops.Store
	People   *people.Store
	Signals  *signal.Store
	Sources  *source.Store

	db *core.DB
}

// Names of the nouns, under which a room that needs several can embed them.
type (
	// ArticleStore is the noun of articles.
	ArticleStore = article.Store
	// EntryStore is the noun of entries.
	EntryStore = entry.Store
	// HubStore is the noun of the hub.
	HubStore = hub.Store
	// OpsStore is the noun of operations.
	OpsStore = ops.Store
	// PeopleStore is the noun of people.
	PeopleStore = people.Store
	// SignalStore is the noun of signals.
	SignalStore = signal.Store
	// SourceStore is the noun of sources.
	SourceStore = source.Store
)

// New makes a store. It does not connect; Check does.
func New(opts Options) (*Store, error) {
	db, err := core.New(core.Options{
		URL: opts.URL, Dial: opts.Dial, Prefix: opts.Prefix, Sharded: opts.Sharded, Pool: opts.Pool, Timeout: opts.Timeout,
		Logger: opts.Logger, Registerer: opts.Registerer, Now: opts.Now, Upgrade: upgrade, EditScript: opts.EditScript,
	})
	if err != nil {
		return nil, err
	}
	entries := entry.New(db, entry.Options{FirstSignals: opts.FirstSignals})
	return &Store{
		Articles: article.New(db),
		Entries:  entries,
		Hub:      hub.New(db, hub.Options{Owner: opts.Owner}),
		Ops:      ops.New(db),
		People:   people.New(db),
		Signals:  signal.New(db, signal.Options{Posts: entries, TakeOver: opts.TakeOver}),
		Sources: source.New(db, entries, source.Options{
			Owner: opts.Owner, HostDelay: opts.HostDelay, SpareSelf: opts.SpareSelf, PollFloor: opts.PollFloor, Spread: opts.Spread,
			OnDue: opts.OnDue,
		}),
		db: db,
	}, nil
}

// Reload replaces HostDelay, PollFloor, Spread and FirstSignals.
func (s *Store) Reload(opts Options) {
	s.Entries.Reload(entry.Options{FirstSignals: opts.FirstSignals})
	s.Sources.Reload(source.Options{HostDelay: opts.HostDelay, PollFloor: opts.PollFloor, Spread: opts.Spread})
}

// upgrade rewrites the data of an older schema.
func upgrade(ctx context.Context, db *core.DB, _ int) error {
	return db.Walk(ctx, func(keys []string) error {
		for _, key := range keys {
			if err := article.Upgrade(ctx, db, key); err != nil {
				return err
			}
		}
		return nil
	})
}

// FailoverEpoch is core.DB.FailoverEpoch.
func (s *Store) FailoverEpoch() uint64 { return s.db.FailoverEpoch() }

// Check is core.DB.Check.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// Proof is core.DB.Proof.
func (s *Store) Proof(question string) string { return s.db.Proof(question) }

// CopyTo is ops.Store.CopyTo.
func (s *Store) CopyTo(ctx context.Context, to *Store, dry bool, progress func(done, total int)) (ops.Migration, error) {
	return s.Ops.CopyTo(ctx, to.Ops, dry, progress)
}

// Close closes the connections.
func (s *Store) Close() error { return s.db.Close() }
