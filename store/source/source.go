package source

import (
	"context"
	"embed"
	"sync"
	"sync/atomic"
	"time"

	"github.com/feedwire/feedwire/store/core"
)

//go:embed scripts
var scriptFiles embed.FS

// Groups that count the commands of this package in metrics.
const (
	group      = "sources"
	groupPolls = "polls"
	groupPush  = "push"
)

// Options configure a Store.
type Options struct {
	Owner     string        // names this daemon in its leases, the same after a restart; default none
	HostDelay time.Duration // between two polls of a host; 0: polls of a host may also run in parallel
	SpareSelf bool          // HostDelay applies to loopback addresses, too, for tests
	PollFloor time.Duration // from a poll to the next one that a person requests; default 0
	Spread    time.Duration // over which the first polls of many sources are spread; default 0
	OnDue     func()        // is called after this daemon made sources due; nil disables it
}

// Entries deletes the entries of a source that is removed. It must be safe to repeat.
type Entries interface {
	DeleteEntries(ctx context.Context, feedURL string) error
}

// Store is safe for concurrent use. Errors other than those named on a method are a *core.Error.
type Store struct {
	db      *core.DB
	entries Entries
	scripts core.Scripts
	current atomic.Pointer[Options]
	urls    sync.Map   // URL by id of the source; an id never belongs to another URL
	lost    lostClaims // claims whose replies were lost
}

// New returns a Store. It does not connect.
func New(db *core.DB, entries Entries, opts Options) *Store {
	if opts.OnDue == nil {
		opts.OnDue = func() {}
	}
	s := &Store{db: db, entries: entries}
	s.current.Store(&opts)
	s.scripts = db.AddNoun(groupPolls, scriptFiles, core.Families{
		core.Divided:    {"feeds", dueSet, "sched:unwell", "sched:lease", "push:tokens", pushDueSet},
		core.Everywhere: {"sched:added"},
		core.OfSource:   {"<feed_url>:meta", "<feed_url>:polls", "<feed_url>:push"},
		core.OfOwner:    {"push:leaving:<token>"},
		core.OfHost:     {"host:<host>"},
		core.AtDesk:     {"removed:<id>"},
	})
	s.scripts.Once("claim_source", "claim_sources")
	db.GroupMetrics(group, "add_source", "remove_source")
	db.GroupMetrics(groupPush, "claim_callbacks", "replace_callback")
	return s
}

// Reload replaces HostDelay, PollFloor and Spread.
func (s *Store) Reload(opts Options) {
	now := *s.opts()
	now.HostDelay, now.PollFloor, now.Spread = opts.HostDelay, opts.PollFloor, opts.Spread
	s.current.Store(&now)
}

// opts returns the current options.
func (s *Store) opts() *Options { return s.current.Load() }
