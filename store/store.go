package store

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/audit"
	"github.com/feedwire/feedwire/store/community"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/entry"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/hub"
	"github.com/feedwire/feedwire/store/ops"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/ranking"
	"github.com/feedwire/feedwire/store/signal"
	"github.com/feedwire/feedwire/store/source"
	"github.com/feedwire/feedwire/store/timeline"
)

// DialFunc opens a connection to the store's server.
type DialFunc = core.DialFunc

// Options configure a Store.
type Options = core.Options

// Store contains the store of each noun. It is safe for concurrent use. Errors other than those named on a method are a *core.Error,
// which is feed.ErrUnavailable if Redis cannot answer now.
type Store struct {
	Articles  *article.Store
	Audit     *audit.Store
	Community *community.Store
	Entries   *entry.Store
	Hub       *hub.Store
	Ops       *ops.Store
	People    *people.Store
	Rankings  *ranking.Store
	Signals   *signal.Store
	Sources   *source.Store
	Timelines *timeline.Store
	Topics    *hub.Topics

	search feed.FindEntries // see SearchBy
	db     *core.DB
}

// Names of the nouns, under which a struct can embed several of them.
type (
	// ArticleStore is the noun of articles.
	ArticleStore = article.Store
	// AuditStore is the noun of the audit log.
	AuditStore = audit.Store
	// CommunityStore is the noun of submissions.
	CommunityStore = community.Store
	// EntryStore is the noun of entries.
	EntryStore = entry.Store
	// HubStore is the noun of the hub: requests, subscriptions and deliveries.
	HubStore = hub.Store
	// OpsStore is the noun of operations.
	OpsStore = ops.Store
	// PeopleStore is the noun of people.
	PeopleStore = people.Store
	// RankingStore is the noun of votes and lists.
	RankingStore = ranking.Store
	// SignalStore is the noun of signals.
	SignalStore = signal.Store
	// SourceStore is the noun of sources.
	SourceStore = source.Store
	// TimelineStore is the noun of timelines.
	TimelineStore = timeline.Store
	// TopicStore is the noun of the hub's topics.
	TopicStore = hub.Topics
)

// Nouns has the methods of all nouns, and those of Store, which read several of them. A room uses the methods that its own interface
// names.
type Nouns struct {
	*ArticleStore
	*AuditStore
	*CommunityStore
	*EntryStore
	*HubStore
	*OpsStore
	*PeopleStore
	*RankingStore
	*SignalStore
	*SourceStore
	*TimelineStore
	*TopicStore
	composed
}

// composed is a struct, so that methods of a noun hide fields of the store.
type composed struct{ *Store }

// Nouns returns the methods of all nouns.
func (s *Store) Nouns() Nouns {
	return Nouns{s.Articles, s.Audit, s.Community, s.Entries, s.Hub, s.Ops, s.People, s.Rankings, s.Signals, s.Sources, s.Timelines, s.Topics, composed{s}}
}

// New makes a store. It does not connect; Check does.
func New(opts Options) (*Store, error) {
	s := &Store{}
	opts.Upgrade = s.upgrade
	db, err := core.New(opts)
	if err != nil {
		return nil, err
	}
	entries, rankings := entry.New(db), ranking.New(db)
	hubs, topics := hub.New(db)
	*s = Store{
		Articles:  article.New(db),
		Audit:     audit.New(db),
		Community: community.New(db, rankings),
		Entries:   entries,
		Hub:       hubs,
		Ops:       ops.New(db),
		People:    people.New(db),
		Rankings:  rankings,
		Signals:   signal.New(db, entries),
		Sources:   source.New(db, entries),
		Timelines: timeline.New(db, entries, rankings),
		Topics:    topics,
		db:        db,
	}
	return s, nil
}

// SearchBy sets what finds the entries of saved searches, before the store is used. Without it they are unavailable.
func (s *Store) SearchBy(find feed.FindEntries) { s.search = find }

// upgrade rewrites the data of an older layout, step by step.
func (s *Store) upgrade(ctx context.Context, db *core.DB, from int) error {
	if from < 2 {
		if err := article.Upgrade(ctx, db); err != nil {
			return err
		}
	}
	if from < 3 {
		if err := s.People.Upgrade(ctx); err != nil {
			return err
		}
	}
	if from < 4 {
		if err := s.Topics.Upgrade(ctx); err != nil {
			return err
		}
	}
	return s.Articles.IndexInbox(ctx)
}

// Reload is core.DB.Reload.
func (s *Store) Reload(opts Options) { s.db.Reload(opts) }

// FailoverEpoch is core.DB.FailoverEpoch.
func (s *Store) FailoverEpoch() uint64 { return s.db.FailoverEpoch() }

// Confirm is core.DB.Confirm.
func (s *Store) Confirm(ctx context.Context) error { return s.db.Confirm(ctx) }

// Check is core.DB.Check.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// CommonTime is core.DB.Now.
func (s *Store) CommonTime() time.Time { return s.db.Now() }

// ReadClock is core.DB.ReadClock.
func (s *Store) ReadClock(ctx context.Context) error { return s.db.ReadClock(ctx) }

// Proof is core.DB.Proof.
func (s *Store) Proof(question string) string { return s.db.Proof(question) }

// CopyTo is ops.Store.CopyTo.
func (s *Store) CopyTo(ctx context.Context, to *Store, dry bool, progress func(done, total int)) (ops.Migration, error) {
	return s.Ops.CopyTo(ctx, to.Ops, dry, progress)
}

// Close closes the connections.
func (s *Store) Close() error { return s.db.Close() }
