package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configure an Intake. With the zero value no entry becomes an article.
type Options struct {
	Logger     *slog.Logger          // nil: discard
	Registerer prometheus.Registerer // nil: metrics are not registered

	Feeds        []feed.Outgoing                       // the configured outgoing feeds
	Consumer     string                                // name of this daemon in the consumer group; empty: "desk"
	OnTransition func(typ string, from, to feed.State) // called after each change of state; nil disables it
	OnPanic      func(component string)                // called after a recovered panic with "intake"; nil disables it
}

const (
	group     = "desk"
	batchSize = 50
	readWait  = 5 * time.Second
)

// Intake turns entries into articles. Create it with New.
type Intake struct {
	store        Store
	opts         Options
	destinations atomic.Pointer[[]destination]
	metrics      *metrics
	backlog      chan string   // the id of a signal after which others wait
	relist       chan struct{} // has a token if the lists of feeds must be read at once
	early        early
}

// New returns an Intake.
func New(store Store, opts Options) *Intake {
	opts.Logger, opts.Consumer = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), cmp.Or(opts.Consumer, "desk")
	if opts.OnTransition == nil {
		opts.OnTransition = func(string, feed.State, feed.State) {}
	}
	if opts.OnPanic == nil {
		opts.OnPanic = func(string) {}
	}
	in := &Intake{store: store, opts: opts, metrics: newMetrics(opts.Registerer), backlog: make(chan string, 1), relist: make(chan struct{}, 1)}
	in.Reload(opts.Feeds)
	return in
}

// Reload replaces the outgoing feeds. Signals that are read afterwards use them.
func (in *Intake) Reload(feeds []feed.Outgoing) {
	all := make([]destination, len(feeds))
	for i, f := range feeds {
		sieve, err := f.Select.Compile()
		if err != nil {
			in.opts.Logger.Error("selection cannot be compiled; nothing is published by rule", "feed", f.Type, "err", err)
		}
		all[i] = destination{f, sieve}
	}
	in.destinations.Store(&all)
	retry.Wake(in.relist)
}

// Run processes signals until ctx ends. It retries everything that fails and returns nil.
func (in *Intake) Run(ctx context.Context) error {
	var others sync.WaitGroup
	defer others.Wait()
	others.Go(func() { in.overtake(ctx) })
	others.Go(func() { in.followLists(ctx) })
	always := in.logged(nil) // without the outbox there is nothing else to do
	for ctx.Err() == nil {
		epoch := in.store.FailoverEpoch()
		signals, _ := retry.Do(ctx, always, func() ([]feed.Signal, error) { // succeeds, or ctx has ended
			return in.store.NextSignals(ctx, group, in.opts.Consumer, batchSize, readWait)
		})
		if done := in.processAll(ctx, epoch, signals); len(done) > 0 {
			_, _ = retry.Do(ctx, always, func() (any, error) { return nil, in.store.AckSignals(ctx, group, done...) })
		}
		// After a failover the new primary may know the acknowledgements but not the articles, and nothing delivers the signals again.
		for now := in.store.FailoverEpoch(); now != epoch && ctx.Err() == nil; now = in.store.FailoverEpoch() {
			epoch = now
			in.processAll(ctx, epoch, signals)
		}
	}
	return nil
}

// logged returns how to retry calls of the store, except after errors that are final. It logs the first failure and the recovery.
func (in *Intake) logged(final func(error) bool) retry.Options {
	return retry.Options{
		Final:     final,
		Failing:   func(err error) { in.opts.Logger.Warn("the intake is waiting for the store", "err", err) },
		Recovered: func() { in.opts.Logger.Info("the intake continues") },
	}
}

// processAll processes signals, except those that were processed early under this epoch of the store. It returns the ids of those to
// acknowledge.
func (in *Intake) processAll(ctx context.Context, epoch uint64, signals []feed.Signal) (done []string) {
	removed := in.removeChanges(ctx, signals)
	var left []feed.Signal
	for i := range signals {
		switch s := &signals[i]; {
		case s.Kind == feed.PostDeleted && !removed: // the group delivers it again
		case in.early.remove(epoch, s.ID):
			done = append(done, s.ID)
		default:
			left = append(left, *s)
		}
	}
	taken, others, sources := in.load(ctx, left)
	if len(signals) == batchSize && len(taken) > 0 { // the group is quick to ignore others
		in.behind(signals[batchSize-1].ID)
	}
	for _, some := range [][]feed.Signal{taken, others} {
		for i := range some {
			if in.process(ctx, &some[i], sources) {
				done = append(done, some[i].ID)
			}
		}
	}
	return done
}

// load reads the sources of signals, and the posts of the signals whose source a feed takes. The posts of others are not needed. It
// returns nothing if ctx ends.
func (in *Intake) load(ctx context.Context, signals []feed.Signal) (taken, others []feed.Signal, sources map[string]feed.Source) {
	if len(signals) == 0 {
		return nil, nil, nil
	}
	var urls []string
	for i := range signals {
		if url := signals[i].FeedURL; !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	_, err := retry.Do(ctx, in.logged(nil), func() (any, error) {
		all, err := in.store.SourcesByURL(ctx, urls)
		if err != nil {
			return nil, err
		}
		taken, others, sources = nil, nil, make(map[string]feed.Source, len(all))
		for i := range all {
			sources[all[i].URL] = all[i]
		}
		feeds := *in.destinations.Load()
		for i := range signals {
			if source, ok := sources[signals[i].FeedURL]; ok && take(feeds, &source) {
				taken = append(taken, signals[i])
			} else {
				others = append(others, signals[i])
			}
		}
		return nil, in.store.LoadPosts(ctx, taken)
	})
	if err != nil { // ctx has ended
		return nil, nil, nil
	}
	return taken, others, sources
}

// removeChanges deletes the signals that contain parts of the texts of entries that were taken down. It reports false if that failed.
func (in *Intake) removeChanges(ctx context.Context, signals []feed.Signal) bool {
	var deleted []feed.Signal
	for i := range signals {
		if signals[i].Kind == feed.PostDeleted {
			deleted = append(deleted, signals[i])
		}
	}
	if len(deleted) == 0 {
		return true
	}
	_, err := retry.Do(ctx, in.logged(retry.NotUnavailable), func() (any, error) { return nil, in.store.RemoveChanges(ctx, deleted) })
	if err != nil && ctx.Err() == nil {
		in.opts.Logger.Error("signals with texts of entries that were taken down remain; retrying later", "count", len(deleted), "err", err)
	}
	return err == nil
}

// process does the work of one signal and reports whether to acknowledge it. A signal that can never succeed is acknowledged,
// so that it does not block others. After any error other than feed.ErrUnavailable the signal stays pending, and the group
// delivers it again; this includes an article that was saved but is not found after a failover.
func (in *Intake) process(ctx context.Context, s *feed.Signal, sources map[string]feed.Source) bool {
	result, err := retry.Do(ctx, in.logged(retry.NotUnavailable), func() (outcome, error) {
		result, err := in.update(ctx, s, sources)
		if err != nil {
			clear(sources) // they may be outdated at the next try
		}
		return result, err
	})
	switch {
	case ctx.Err() != nil:
		return false
	case err == nil:
	case errors.Is(err, feed.ErrInvalid), errors.Is(err, errPanic):
		result = outcomeRejected
		in.opts.Logger.Error("entry cannot become an article", "signal", s.ID, "feed", s.FeedURL, "entry", s.Entry, "err", err)
	default:
		result = outcomeLeft
		in.opts.Logger.Error("entry did not become an article; retrying later", "signal", s.ID, "feed", s.FeedURL, "entry", s.Entry, "err", err)
	}
	in.metrics.signals[result].Inc()
	if result == outcomeArticle {
		in.metrics.lag.Observe(max(0, time.Since(s.Time).Seconds()))
	}
	return result != outcomeLeft
}

// errPanic is returned if the work on a signal panicked.
var errPanic = errors.New("panic")

// update calls updateArticles and turns a panic into errPanic.
func (in *Intake) update(ctx context.Context, s *feed.Signal, sources map[string]feed.Source) (result outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			in.opts.OnPanic("intake")
			in.opts.Logger.Error("panic in the intake", "signal", s.ID, "entry", s.Entry, "err", p, "stack", string(debug.Stack()))
			result, err = outcomeRejected, fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	return in.updateArticles(ctx, s, sources)
}
