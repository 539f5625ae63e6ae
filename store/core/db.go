package core

import (
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

// Options configure a DB. One of URL and Dial is required.
type Options struct {
	URL        string                // as package address parses it
	Dial       DialFunc              // instead of a URL: the embedded server
	Prefix     string                // of every key; default none
	Sharded    bool                  // use the layout of a cluster on a single Redis, for tests
	Pool       int                   // maximum number of connections to a server; default 32
	Timeout    time.Duration         // of reading or writing one command; default 2 s
	Logger     *slog.Logger          // default: discard
	Registerer prometheus.Registerer // nil disables metrics
	Now        func() time.Time      // default time.Now

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
	opts      Options
	pool      route.Pool
	clustered bool
	once      bool // never repeat a call
	metrics   *metrics
	merger    *merger
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
	if opts.Now == nil {
		opts.Now = time.Now
	}
	pool, clustered, err := newPool(opts)
	if err != nil {
		return nil, err
	}
	db := &DB{Layout: layoutOf(&opts, clustered), opts: opts, pool: pool, clustered: clustered}
	db.minutes.Store(&map[int64]feed.Minute{})
	db.metrics = newMetrics(opts.Registerer, db.pool)
	db.GroupMetrics("check")
	db.GroupMetrics("wait", "xread", "xreadgroup")
	db.merger = newMerger(db)
	return db, nil
}

// Close closes the connections.
func (db *DB) Close() error { return db.pool.Close() }

// FailoverEpoch counts how often another server took over keys. The new server may not know the last writes that the old one
// acknowledged: work that was acknowledged under an older epoch must be done again.
func (db *DB) FailoverEpoch() uint64 { return db.pool.FailoverEpoch() }

// Now returns the current time.
func (db *DB) Now() time.Time { return db.opts.Now() }

// Stamp returns the current time as Stamp formats it.
func (db *DB) Stamp() string { return Stamp(db.opts.Now()) }

// Seconds returns the current time in Unix seconds.
func (db *DB) Seconds() string { return feed.FormatTime(db.opts.Now()) }
