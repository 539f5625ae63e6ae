package store

import (
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

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
	Partitioned  bool                  // the layout in parts, which is that of a cluster whose prefix has no tag; on one Redis for tests
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
	opts         Options
	changed      atomic.Pointer[Options] // by Reload; nil: it was not called
	keys         keys
	pool         route.Pool
	clustered    bool
	scripts      scripts
	convoy       convoy
	metrics      *metrics
	resumed      sync.Map   // "group consumer" of readers that have got what they had taken before
	topics       sync.Map   // URL of each topic by its id, which names no other one ever
	lost         lostClaims // claims whose answer did not come
	gatherer     *gatherer
	outboxes     outboxes
	minutes      minutes
	installation atomic.Value          // string: id of the one that Check found first; nil: it found none yet
	shut         atomic.Pointer[error] // why all calls but Check fail; nil: they do not
}

// New makes a store. It does not connect; Check does.
func New(opts Options) (*Store, error) {
	if opts.Pool <= 0 {
		opts.Pool = 32
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 2 * time.Second
	}
	opts.FirstSignals = firstSignals(opts.FirstSignals)
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
	s := &Store{opts: opts}
	if err := s.connect(); err != nil {
		return nil, err
	}
	s.scripts = loadScripts(s.clustered)
	s.gatherer = newGatherer(len(s.keys.parts))
	s.metrics = newMetrics(opts.Registerer, s.pool)
	return s, nil
}

// firstSignals is Options.FirstSignals as it is meant.
func firstSignals(n int) int {
	switch {
	case n == 0:
		return 10
	case n < 0:
		return 0
	}
	return n
}

// Reload takes over HostDelay, PollFloor, Spread and FirstSignals. All else stays as it was with New.
func (s *Store) Reload(opts Options) {
	opts.FirstSignals = firstSignals(opts.FirstSignals)
	s.changed.Store(&opts)
}

// terms are the options by which sources are scheduled and saved at this moment.
func (s *Store) terms() *Options {
	if changed := s.changed.Load(); changed != nil {
		return changed
	}
	return &s.opts
}

// Turns counts how often another server has taken over, which may not know what was done last. Who has acknowledged something at that
// one, for which work was done at the one before, does the work again.
func (s *Store) Turns() uint64 { return s.pool.Turns() }

// Close closes the connections.
func (s *Store) Close() error { return s.pool.Close() }

// stamp is the current time as it is stored where order matters: Unix seconds to the millisecond.
func (s *Store) stamp() string { return stamp(s.opts.Now()) }

func stamp(t time.Time) string {
	return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', 3, 64)
}

// seconds is the current time in whole seconds.
func (s *Store) seconds() string { return feed.FormatTime(s.opts.Now()) }
