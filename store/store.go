package store

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/route"
)

// schemaVersion is the version of the key layout in doc.go.
const schemaVersion = 1

// Options say where the store is and how to talk to it. One of URL and Dial is required.
type Options struct {
	URL          string                // as package address reads it
	Dial         DialFunc              // instead of a URL: the embedded server
	Prefix       string                // before each key; default none
	Owner        string                // names this daemon in its leases, the same after a restart; default none
	TakeOver     time.Duration         // after which a signal that its reader took and left comes to another; default 30 s
	Pool         int                   // most connections; default 32
	Timeout      time.Duration         // of reading or writing one command; default 2 s
	HostDelay    time.Duration         // between two polls at one host, which then go one after another; default: no limit
	SpareSelf    bool                  // whether HostDelay holds for loopback addresses too: there is nobody to spare on this machine; for tests
	PollFloor    time.Duration         // from a poll to one that a person asks for; default: none
	OnDue        func()                // told when this daemon has made sources due; default: nobody is
	Spread       time.Duration         // over which sources that are added in a crowd come due; default: all at once
	Logger       *slog.Logger          // default: discard
	FirstSignals int                   // post_created signals of a source's first document; default 10, negative: none
	Registerer   prometheus.Registerer // default: metrics go nowhere
	Now          func() time.Time      // default time.Now
}

// Store keeps feedwire's state in Redis. Its methods may be called from any goroutine. Each returns an *Error when
// Redis fails, which is feed.ErrUnavailable where trying again later may help.
type Store struct {
	opts      Options
	keys      keys
	pool      route.Pool
	clustered bool
	scripts   scripts
	convoy    convoy
	metrics   *metrics
	resumed   sync.Map   // "group consumer" of readers that have got what they had taken before
	topics    sync.Map   // URL of each topic by its id, which names no other one ever
	lost      lostClaims // claims whose answer did not come
}

// New makes a store. It does not connect; Check does.
func New(opts Options) (*Store, error) {
	if opts.Pool <= 0 {
		opts.Pool = 32
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 2 * time.Second
	}
	switch {
	case opts.FirstSignals == 0:
		opts.FirstSignals = 10
	case opts.FirstSignals < 0:
		opts.FirstSignals = 0
	}
	if opts.TakeOver <= 0 {
		opts.TakeOver = 30 * time.Second
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.OnDue == nil {
		opts.OnDue = func() {}
	}
	s := &Store{opts: opts, keys: keys{opts.Prefix}}
	if err := s.connect(); err != nil {
		return nil, err
	}
	s.scripts = loadScripts(s.clustered)
	s.metrics = newMetrics(opts.Registerer, s.pool)
	return s, nil
}

// Close closes the connections.
func (s *Store) Close() error { return s.pool.Close() }

// Check is the readiness test: the server answers, takes a write, and holds a layout this program understands.
func (s *Store) Check(ctx context.Context) error {
	replies, err := s.pipeline(ctx, "check", func(b *batch) {
		b.add("SET", s.keys.ready(), s.stamp(), "EX", 60)
		b.add("SETNX", s.keys.schema(), schemaVersion)
		b.add("GET", s.keys.schema())
		b.add("EXISTS", s.keys.migrating())
	})
	s.metrics.setUp(err == nil)
	if err != nil {
		return err
	}
	found, err := redis.Int(replies[2], nil)
	if err != nil {
		return fmt.Errorf("schema key %s does not hold a number: another program uses this Redis; set store.prefix", s.keys.schema())
	}
	if found > schemaVersion {
		return fmt.Errorf("the data in Redis has layout %d, this program knows %d: start a newer feedwire", found, schemaVersion)
	}
	if replies[3] != int64(0) {
		return fmt.Errorf("the data in Redis is a copy that is not complete: run feedwire migrate once more, or empty it")
	}
	return nil
}

// stamp is the current time as it is stored where order matters: Unix seconds to the millisecond.
func (s *Store) stamp() string { return stamp(s.opts.Now()) }

func stamp(t time.Time) string {
	return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', 3, 64)
}

// seconds is the current time in whole seconds.
func (s *Store) seconds() string { return feed.FormatTime(s.opts.Now()) }
