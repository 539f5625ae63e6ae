package core

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/route"
)

// DialFunc opens a connection to the server.
type DialFunc func(ctx context.Context) (net.Conn, error)

// Options configure a store: the first ones its connections and keys, the others what its nouns do. One of URL and Dial is required.
type Options struct {
	URL        string                // as package address parses it
	Dial       DialFunc              // instead of a URL: the embedded server
	Prefix     string                // of every key; default none
	Sharded    bool                  // use the layout of a cluster on a single Redis, for tests
	Pool       int                   // maximum number of connections to a server; default 32
	Timeout    time.Duration         // of reading or writing one command; default 2 s
	Logger     *slog.Logger          // default: discard
	Registerer prometheus.Registerer // nil disables metrics
	Now        func() time.Time      // default: the time of this machine, corrected by ReadClock

	Owner        string        // names this daemon in its leases and claims, the same after a restart; default none
	TakeOver     time.Duration // after which another consumer gets a signal that is not acknowledged; default 30 s
	FirstSignals int           // post_created signals of the first document of a source; default 10, negative: none
	KeepEntries  int           // that a source keeps while it is saved; default: only housekeeping expires entries
	PushEntries  int           // that a hub may push for a source in feed.PushWindow; default: no limit
	DayEntries   int           // signalled entries that a source may have in a day, by poll and push; default: no limit
	HostDelay    time.Duration // between two polls of a host; 0: polls of a host may also run in parallel
	SpareSelf    bool          // HostDelay applies to loopback addresses, too, for tests
	PollFloor    time.Duration // from a poll to the next one that a person requests; default 0
	Spread       time.Duration // over which the first polls of many sources are spread; default 0
	OnDue        func()        // is called after this daemon made sources due; nil disables it

	ShallowTimelines bool // timelines end after the entries in their caches
	PullFollowers    int  // of a source, beyond which its entries are not in the caches of timelines; default 50,000

	VoteWeight int           // seconds by which a vote changes the score of an entry; default feed.VoteWeight
	VoteWindow time.Duration // after the time of an entry in which users vote on it; default feed.VoteWindow

	AnonymousVotes bool // people vote without an account, too

	Community bool     // members submit news: there are the lists of feed.NewsLists
	Discussed []string // canonical URLs of sources on whose entries members of the community vote and comment

	// EditScript returns the text to use in place of the text of a script, for tests. Nil changes none.
	EditScript func(name, text string) string

	// Upgrade rewrites the data of an older SchemaVersion. It must be repeatable: a daemon that is killed in the middle, or a
	// second daemon that starts at the same time, runs it again. Nil: no data needs it.
	Upgrade func(ctx context.Context, db *DB, from int) error
}

// DB is a connection pool and a key layout. It is safe for concurrent use. Methods that call Redis return an *Error if that
// fails; it is feed.ErrUnavailable if the call may succeed later.
type DB struct {
	Layout
	opts      atomic.Pointer[Options]
	pool      route.Pool
	clustered bool
	once      bool // never repeat a call
	metrics   *metrics
	merger    *merger
	clock     clock
	time      *Script
	nodes     nodeCheck
	minutes   atomic.Pointer[map[int64]feed.Minute] // that are over, by number since 1970; empty in the default layout
	batcher   batcher
	families  []Family

	installation atomic.Value          // string: the id that Check found first; nil: none yet
	suspended    atomic.Pointer[error] // why all calls but Check fail; nil: they do not
}

// New returns a DB. It does not connect.
func New(opts Options) (*DB, error) {
	if opts.Pool <= 0 {
		opts.Pool = 32
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 2 * time.Second
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	db := new(DB)
	if opts.Now == nil {
		opts.Now = db.clock.now
	}
	if opts.TakeOver <= 0 {
		opts.TakeOver = 30 * time.Second
	}
	opts.VoteWeight, opts.VoteWindow = cmp.Or(opts.VoteWeight, feed.VoteWeight), cmp.Or(opts.VoteWindow, feed.VoteWindow)
	if opts.OnDue == nil {
		opts.OnDue = func() {}
	}
	pool, clustered, err := newPool(opts)
	if err != nil {
		return nil, err
	}
	db.Layout, db.pool, db.clustered = layoutOf(&opts, clustered), pool, clustered
	db.opts.Store(&opts)
	db.minutes.Store(&map[int64]feed.Minute{})
	db.metrics = newMetrics(opts.Registerer, db.pool)
	db.GroupMetrics("check")
	db.GroupMetrics("wait", "xread", "xreadgroup")
	db.merger = newMerger(db)
	return db, nil
}

// Options returns the current options, with defaults.
func (db *DB) Options() *Options { return db.opts.Load() }

// Reload replaces FirstSignals, KeepEntries, PushEntries, DayEntries, HostDelay, PollFloor, Spread, ShallowTimelines,
// PullFollowers, VoteWeight, VoteWindow, AnonymousVotes, Community and Discussed.
func (db *DB) Reload(opts Options) {
	now := *db.Options()
	now.FirstSignals, now.KeepEntries, now.PushEntries = opts.FirstSignals, opts.KeepEntries, opts.PushEntries
	now.DayEntries, now.HostDelay, now.PollFloor, now.Spread = opts.DayEntries, opts.HostDelay, opts.PollFloor, opts.Spread
	now.ShallowTimelines, now.PullFollowers = opts.ShallowTimelines, opts.PullFollowers
	now.VoteWeight, now.VoteWindow = cmp.Or(opts.VoteWeight, feed.VoteWeight), cmp.Or(opts.VoteWindow, feed.VoteWindow)
	now.AnonymousVotes, now.Community, now.Discussed = opts.AnonymousVotes, opts.Community, opts.Discussed
	db.opts.Store(&now)
}

// Close closes the connections.
func (db *DB) Close() error { return db.pool.Close() }

// FailoverEpoch counts how often another server took over keys. The new server may not know the last writes that the old one
// acknowledged: work that was acknowledged under an older epoch must be done again.
func (db *DB) FailoverEpoch() uint64 { return db.pool.FailoverEpoch() }

// Now returns the current time.
func (db *DB) Now() time.Time { return db.Options().Now() }

// Stamp returns the current time as Stamp formats it.
func (db *DB) Stamp() string { return Stamp(db.Now()) }

// Seconds returns the current time in Unix seconds.
func (db *DB) Seconds() string { return feed.FormatTime(db.Now()) }
