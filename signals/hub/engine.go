package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// Options are what may be chosen about an Engine. The zero value works.
type Options struct {
	HubURL    string        // of our hub, which deliveries name; empty: they name none
	UserAgent string        // default "feedwire (+https://github.com/feedwire/feedwire)"
	Method    websub.Method // of signatures where the subscriber chose none; default sha256

	Workers     int           // deliveries at a time whose callback answers at once; default 64
	Slow        int           // deliveries at a time that take longer, besides; default 512
	PerHost     int           // deliveries at a time to one host that answers at once, one until it does; default 8
	SlowPerHost int           // deliveries at a time to one host that take longer, besides; default 32
	Timeout     time.Duration // of one delivery; default 10 s
	FirstRetry  time.Duration // until the second try, doubled with each; default 10 s
	LastRetry   time.Duration // the longest time between two tries; default 6 h
	Horizon     time.Duration // for which a version is tried; default 24 h
	Served      []Served      // topics that are distributed whenever their document changes; default: none
	ServedEvery time.Duration // between two looks at those; default 1 s
	Pings       []string      // URLs of other hubs that are told of news; subscriptions of others in this way end

	// Operator is the transport to what the operator named: webhooks and other hubs. It may reach more than that to the
	// callbacks of subscribers, which are strangers. Nil: the same.
	Operator http.RoundTripper

	OnPanic    func(component string) // told of each recovered panic, component "signal"; nil: nobody
	Logger     *slog.Logger           // nil: discard
	Registerer prometheus.Registerer  // nil: metrics are kept but not registered
	Now        func() time.Time       // nil: time.Now
}

func (o Options) withDefaults() Options {
	number := func(n *int, def int) {
		if *n <= 0 {
			*n = def
		}
	}
	length := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	number(&o.Workers, 64)
	number(&o.Slow, 512)
	number(&o.PerHost, 8)
	number(&o.SlowPerHost, 32)
	length(&o.Timeout, 10*time.Second)
	length(&o.FirstRetry, 10*time.Second)
	length(&o.LastRetry, 6*time.Hour)
	length(&o.Horizon, 24*time.Hour)
	length(&o.ServedEvery, time.Second)
	if o.UserAgent == "" {
		o.UserAgent = "feedwire (+https://github.com/feedwire/feedwire)"
	}
	if o.Method == "" {
		o.Method = websub.SHA256
	}
	if o.OnPanic == nil {
		o.OnPanic = func(string) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Engine distributes news and delivers it. Several may run on one store, in one daemon or in many.
type Engine struct {
	store     Store
	outlets   []Outlet
	transport http.RoundTripper
	opts      Options                 // of the start
	changed   atomic.Pointer[Options] // by Reload; nil: it was not called
	metrics   *metrics
	bodies    *bodies
	jitter    func() float64 // in [0, 1)
	troubled  atomic.Bool    // the last claim failed

	planning   chan struct{} // holds a token when there may be something to plan
	delivering chan struct{} // holds a token when there may be something to deliver
}

// NewEngine returns an Engine that works when Run is called. The transport must refuse to dial what must not be reached;
// redirects are not followed.
func NewEngine(store Store, outlets []Outlet, transport http.RoundTripper, opts Options) *Engine {
	opts = opts.withDefaults()
	if opts.Operator == nil {
		opts.Operator = transport
	}
	return &Engine{
		store: store, outlets: outlets, transport: transport, opts: opts, metrics: newMetrics(opts.Registerer),
		bodies: newBodies(store), jitter: rand.Float64,
		planning: make(chan struct{}, 1), delivering: make(chan struct{}, 1),
	}
}

// Reload takes over how deliveries are made: UserAgent, Method, Timeout, Horizon, Served and Pings. All else stays as it
// was with NewEngine. Deliveries under way go on.
func (e *Engine) Reload(opts Options) {
	opts = opts.withDefaults()
	e.changed.Store(&opts)
	e.closeIdle() // an idle connection may lead where no new one would be opened now
}

// terms are the options by which deliveries are made at this moment.
func (e *Engine) terms() *Options {
	if changed := e.changed.Load(); changed != nil {
		return changed
	}
	return &e.opts
}

func (e *Engine) closeIdle() {
	for _, transport := range []http.RoundTripper{e.transport, e.opts.Operator} {
		(&http.Client{Transport: transport}).CloseIdleConnections()
	}
}

// wake says that there may be something to do now, so that nobody waits for the next look.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is awake
	}
}

// How often the engine looks by itself, where nobody woke it: other daemons make work too.
const (
	planEvery  = 500 * time.Millisecond
	reapEvery  = 5 * time.Second
	reapLimit  = 500 // subscriptions whose lease is over, in one go
	callTime   = 5 * time.Second
	firstPause = 100 * time.Millisecond // after a failure of the store, doubled up to
	lastPause  = 2 * time.Second
)

// Run distributes and delivers until ctx ends. Deliveries under way are then given a few seconds. While the store fails
// it waits; the error is always nil. It is called once.
func (e *Engine) Run(ctx context.Context) error {
	defer e.closeIdle()
	var all sync.WaitGroup
	defer all.Wait()
	for _, part := range []func(context.Context){e.distribute, e.distributeServed, e.plan, e.reap, e.deliver} {
		all.Go(func() { part(ctx) })
	}
	return nil
}

// plan queues the subscriptions of topics that have news.
func (e *Engine) plan(ctx context.Context) {
	for ctx.Err() == nil {
		var planned int
		var more bool
		e.retry(ctx, "deliveries are not planned", func(ctx context.Context) (err error) {
			planned, more, err = e.store.PlanDeliveries(ctx, 250)
			return err
		})
		if planned > 0 {
			wake(e.delivering)
		}
		if !more {
			await(ctx, e.planning, planEvery)
		}
	}
}

// reap ends subscriptions whose lease is over, and counts what waits.
func (e *Engine) reap(ctx context.Context) {
	for ctx.Err() == nil {
		ended := 0
		e.retry(ctx, "leases are not ended", func(ctx context.Context) (err error) {
			ended, err = e.store.EndSubscriptions(ctx, reapLimit)
			return err
		})
		e.metrics.expired.Add(float64(ended))
		if ended == reapLimit {
			continue
		}
		call, cancel := context.WithTimeout(ctx, callTime)
		if state, err := e.store.HubState(call); err == nil { // else the calls beside this one tell of it
			e.metrics.show(state, e.opts.Now())
		}
		cancel()
		await(ctx, nil, reapEvery)
	}
}

// await waits for a token, for the time, or for the end of ctx.
func await(ctx context.Context, token <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-token:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// retry calls until the store answers or ctx ends, and reports whether it did. It logs the first failure and the
// recovery. A failure that time does not heal ends it too.
func (e *Engine) retry(ctx context.Context, trouble string, call func(context.Context) error) bool {
	pause := firstPause
	for tries := 0; ; tries++ {
		limited, cancel := context.WithTimeout(ctx, callTime)
		err := call(limited)
		cancel()
		switch {
		case ctx.Err() != nil:
			return err == nil
		case err == nil && tries > 0:
			e.opts.Logger.Info("the hub goes on: the store answers again")
			return true
		case err == nil:
			return true
		case tries == 0:
			e.opts.Logger.Warn("the hub waits for the store", "reason", trouble, "err", err)
		}
		if errors.Is(err, feed.ErrConflict) {
			return false
		}
		await(ctx, nil, pause)
		pause = min(2*pause, lastPause)
	}
}

// rescue turns a panic into an error.
func (e *Engine) rescue(err *error) {
	if p := recover(); p != nil {
		e.opts.OnPanic("signal")
		e.opts.Logger.Error("panic in the hub", "err", p, "stack", string(debug.Stack()))
		*err = fmt.Errorf("panic: %v", p)
	}
}
