package fanout

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configure a Fanout.
type Options struct {
	Logger     *slog.Logger           // nil: discard
	Registerer prometheus.Registerer  // nil: metrics are not registered
	Now        func() time.Time       // nil: time.Now
	Worker     string                 // name of this daemon among the workers; empty: "fanout"
	OnPanic    func(component string) // called after a recovered panic with "fanout"; nil disables it
}

const (
	group      = "timelines"
	signalsMax = 200 // that are planned together
	chunksMax  = 16  // that are read together
	workers    = 2   // that apply them
	readWait   = 5 * time.Second
	maxTries   = 5
	stateEvery = 5 * time.Second
	warmEvery  = 12 // times of these
)

// Fanout changes timelines. Several can run on one store, in one or several daemons.
type Fanout struct {
	store   Store
	opts    Options
	metrics *metrics
}

// New returns a Fanout that works while Run runs.
func New(store Store, opts Options) *Fanout {
	opts.Logger, opts.Worker = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), cmp.Or(opts.Worker, "fanout")
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.OnPanic == nil {
		opts.OnPanic = func(string) {}
	}
	return &Fanout{store, opts, newMetrics(opts.Registerer)}
}

// Run plans and applies changes until ctx ends. It retries everything that fails and returns nil.
func (f *Fanout) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	for _, loop := range []func(context.Context){f.plan, f.work, f.watch} {
		all.Go(func() { loop(ctx) })
	}
	return nil
}

// patiently repeats a call of the store until it succeeds or ctx ends. It logs the first failure and the recovery.
func patiently[T any](ctx context.Context, f *Fanout, call func() (T, error)) T {
	result, _ := retry.Do(ctx, retry.Options{
		Failing:   func(err error) { f.opts.Logger.Warn("the fan-out is waiting for the store", "err", err) },
		Recovered: func() { f.opts.Logger.Info("the fan-out continues") },
	}, call)
	return result
}

// plan divides the followers of sources with news into chunks.
func (f *Fanout) plan(ctx context.Context) {
	for ctx.Err() == nil {
		signals := patiently(ctx, f, func() ([]feed.Signal, error) {
			return f.store.NextSignals(ctx, group, f.opts.Worker, signalsMax, readWait)
		})
		if len(signals) == 0 {
			continue
		}
		ids := make([]string, len(signals))
		for i := range signals {
			ids[i] = signals[i].ID
		}
		for done := false; !done; {
			epoch := f.store.FailoverEpoch()
			patiently(ctx, f, func() (any, error) { return nil, f.store.PlanFanout(ctx, signals) })
			if ctx.Err() == nil { // otherwise the chunks may not be queued
				patiently(ctx, f, func() (any, error) { return nil, f.store.AckSignals(ctx, group, ids...) })
			}
			done = f.store.FailoverEpoch() == epoch || ctx.Err() != nil
		}
	}
}

// work applies chunks, some at the same time: while Redis changes the caches of one, the next one is prepared.
func (f *Fanout) work(ctx context.Context) {
	for ctx.Err() == nil {
		chunks := patiently(ctx, f, func() ([]feed.Chunk, error) {
			return f.store.NextChunks(ctx, f.opts.Worker, chunksMax, readWait)
		})
		var all sync.WaitGroup
		for some := range slices.Chunk(chunks, max(1, (len(chunks)+workers-1)/workers)) {
			all.Go(func() {
				for _, c := range some {
					f.apply(ctx, c)
				}
			})
		}
		all.Wait()
	}
}

// apply applies a chunk. If it fails for another reason than an unavailable store, a worker gets it again later.
func (f *Fanout) apply(ctx context.Context, c feed.Chunk) {
	changed, err := retry.Do(ctx, retry.Options{Final: retry.NotUnavailable}, func() (int, error) { return f.try(ctx, c) })
	if ctx.Err() != nil {
		return
	}
	f.metrics.changed.Add(float64(changed))
	result, finish := outcomeApplied, f.store.FinishChunk
	switch {
	case err == nil:
		f.metrics.lag.Observe(max(0, f.opts.Now().Sub(c.Time).Seconds()))
	case c.Tries < maxTries:
		f.opts.Logger.Error("timelines were not changed; retrying later", "feed", c.FeedURL, "entry", c.Entry, "err", err)
		f.metrics.chunks[outcomeLeft].Inc()
		return
	default:
		f.opts.Logger.Error("timelines were not changed", "feed", c.FeedURL, "entry", c.Entry, "err", err)
		result, finish = outcomeBuried, f.store.BuryChunk
	}
	patiently(ctx, f, func() (any, error) { return nil, finish(ctx, c) })
	f.metrics.chunks[result].Inc()
}

// try calls ApplyChunk and turns a panic into an error.
func (f *Fanout) try(ctx context.Context, c feed.Chunk) (changed int, err error) {
	defer func() {
		if p := recover(); p != nil {
			f.opts.OnPanic("fanout")
			f.opts.Logger.Error("panic in the fan-out", "feed", c.FeedURL, "entry", c.Entry, "err", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f.store.ApplyChunk(ctx, c)
}

// watch updates the gauges.
func (f *Fanout) watch(ctx context.Context) {
	for tick := 0; ; tick++ {
		if state, err := f.store.FanoutState(ctx); err == nil {
			f.metrics.setState(state)
		}
		if tick%warmEvery == 0 {
			f.countWarm(ctx)
		}
		if !retry.Await(ctx, nil, stateEvery) {
			return
		}
	}
}

// countWarm updates the gauge of warm timelines. If the store cannot answer, it stays as it is.
func (f *Fanout) countWarm(ctx context.Context) {
	last, err := f.store.LastAccount(ctx)
	if err != nil {
		return
	}
	if warm, err := f.store.WarmTimelines(ctx, last); err == nil {
		f.metrics.warm.Set(float64(warm))
	}
}
