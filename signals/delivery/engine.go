package delivery

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// Intervals at which the engine checks for work. It checks earlier if this daemon knows of work; the checks find the work
// of other daemons.
const (
	planEvery   = 500 * time.Millisecond
	servedEvery = time.Second
	listsEvery  = time.Minute
	expireEvery = 5 * time.Second
)

const (
	planLimit   = 250 // subscriptions that one call plans
	expireLimit = 500 // subscriptions that one call expires
	callTimeout = 5 * time.Second
)

// Engine distributes news and delivers it. Several engines can run on one store, in one or several daemons.
type Engine struct {
	store     Store
	outlets   []Outlet
	transport http.RoundTripper
	opts      Options                 // of NewEngine
	current   atomic.Pointer[Options] // those that Reload can replace
	metrics   *metrics
	versions  *versionCache
	jitter    func() float64 // in [0, 1)

	announcedUntil atomic.Pointer[time.Time] // nil: not yet

	planning   chan struct{} // has a token if there may be something to plan
	listing    chan struct{} // has a token if the topics of Options.Lists must be checked at once
	delivering chan struct{} // has a token if there may be something to deliver
}

// NewEngine returns an Engine that works while Run runs. The transport must fail with feed.FailureBlockedAddress for
// addresses that must not be reached. The engine does not follow redirects.
func NewEngine(store Store, outlets []Outlet, transport http.RoundTripper, opts Options) *Engine {
	opts = opts.withDefaults()
	if opts.Operator == nil {
		opts.Operator = transport
	}
	e := &Engine{
		store: store, outlets: outlets, transport: transport, opts: opts, metrics: newMetrics(opts.Registerer),
		versions: &versionCache{store: store, shape: opts.Shape, now: opts.Now, all: make(map[versionKey]cachedVersion)}, jitter: rand.Float64,
		planning: make(chan struct{}, 1), listing: make(chan struct{}, 1), delivering: make(chan struct{}, 1),
	}
	e.current.Store(&opts)
	return e
}

// Reload replaces UserAgent, Method, Timeout, FirstRetry, Horizon, Attempts, Served, Lists and Pings, and ignores the other options.
// Deliveries in progress continue.
func (e *Engine) Reload(opts Options) {
	opts = opts.withDefaults()
	e.current.Store(&opts)
	e.closeIdle() // a new connection to the same address may now be blocked
}

func (e *Engine) closeIdle() {
	for _, transport := range []http.RoundTripper{e.transport, e.opts.Operator} {
		(&http.Client{Transport: transport}).CloseIdleConnections()
	}
}

// Run distributes and delivers until ctx ends. It then waits a few seconds for deliveries in progress. It retries if the
// store fails, and always returns nil. Call Run once.
func (e *Engine) Run(ctx context.Context) error {
	defer e.closeIdle()
	var all sync.WaitGroup
	defer all.Wait()
	for _, loop := range []func(context.Context){e.distribute, e.distributeServed, e.distributeLists, e.plan, e.expire, e.deliver} {
		all.Go(func() { loop(ctx) })
	}
	return nil
}

// plan queues the subscriptions of topics that have news.
func (e *Engine) plan(ctx context.Context) {
	for ctx.Err() == nil {
		var more bool
		planned, _ := patiently(ctx, e, "deliveries are not planned", func(ctx context.Context) (planned int, err error) {
			planned, more, err = e.store.PlanDeliveries(ctx, planLimit)
			return planned, err
		})
		if planned > 0 {
			retry.Wake(e.delivering)
		}
		if !more {
			retry.Await(ctx, e.planning, planEvery)
		}
	}
}

// queueNews queues the deliveries of new versions. The first ones are queued already.
func (e *Engine) queueNews() {
	retry.Wake(e.delivering)
	retry.Wake(e.planning)
}

// expire ends subscriptions whose lease is over, updates the gauges, and corrects due times if the clock was set back, now or while
// no daemon ran.
func (e *Engine) expire(ctx context.Context) {
	last, correctAt := e.opts.Now(), e.opts.Now()
	for ctx.Err() == nil {
		now := e.opts.Now()
		if now.Round(0).Before(last.Round(0)) { // by the wall clocks
			correctAt = now.Add(e.lease())
		}
		last = now
		if !correctAt.IsZero() && now.Sub(correctAt) >= 0 { // by the monotonic clock
			correctAt = time.Time{}
			e.correctTimes(ctx)
		}
		ended, _ := patiently(ctx, e, "leases are not ended", func(ctx context.Context) (int, error) {
			return e.store.ExpireSubscriptions(ctx, expireLimit)
		})
		e.metrics.expired.Add(float64(ended))
		if ended == expireLimit {
			continue
		}
		if state, ok := patiently(ctx, e, "metrics are not updated", e.store.HubState); ok {
			e.metrics.setState(state, e.opts.Now())
		}
		retry.Await(ctx, nil, expireEvery)
	}
}

func (e *Engine) correctTimes(ctx context.Context) {
	n, _ := patiently(ctx, e, "due times are not corrected", func(ctx context.Context) (int, error) {
		return e.store.BringForward(ctx, e.lease())
	})
	if n > 0 {
		e.opts.Logger.Warn("the clock was set back: deliveries are brought forward", "count", n)
		retry.Wake(e.delivering)
	}
}

// lease is how long a delivery is claimed.
func (e *Engine) lease() time.Duration { return 3 * e.current.Load().Timeout }

// patiently calls the store until it succeeds and reports true. It reports false if ctx ends or for feed.ErrConflict, which no
// retry resolves. It logs the first failure and the recovery only.
func patiently[T any](ctx context.Context, e *Engine, consequence string, call func(context.Context) (T, error)) (result T, ok bool) {
	result, err := retry.Do(ctx, retry.Options{
		Final:     func(err error) bool { return errors.Is(err, feed.ErrConflict) },
		Failing:   func(err error) { e.opts.Logger.Warn("the hub waits for the store", "reason", consequence, "err", err) },
		Recovered: func() { e.opts.Logger.Info("the hub continues: the store is available again") },
	}, func() (T, error) {
		limited, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		return call(limited)
	})
	return result, err == nil
}

func (e *Engine) recoverTo(err *error) {
	if p := recover(); p != nil {
		e.opts.OnPanic("signal")
		e.opts.Logger.Error("panic in the hub", "err", p, "stack", string(debug.Stack()))
		*err = fmt.Errorf("panic: %v", p)
	}
}
