package ingest

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// Durations of the claiming loop.
const (
	longestNap  = time.Second           // until a source that another daemon added is claimed
	shortestNap = 50 * time.Millisecond // if the store's clock is ahead
	claimTime   = 5 * time.Second       // timeout of a store call
)

// Run polls due sources until ctx ends. It claims no more sources than it has idle workers, so that no lease ends while its
// source waits in memory. When ctx ends, Run cancels requests and releases their claims, but still saves received documents,
// which takes a few seconds at most. It always returns nil, because it waits for an unavailable store.
func (in *Ingester) Run(ctx context.Context) error {
	finishing, cancel := settle(ctx)
	defer cancel()
	defer in.client.CloseIdleConnections()
	pool := newPool(in.opts.Workers, in.client.MaxBytes)
	defer pool.polls.Wait()
	pulse := time.NewTicker(longestNap)
	defer pulse.Stop()
	var checked time.Time // last check of the clock
	for {
		in.opts.OnTurn()
		free := pool.acquire(ctx, pulse.C)
		if ctx.Err() != nil {
			pool.release(free) // for polls that end
			return nil
		}
		if free == 0 { // all workers are busy; the loop itself does not hang
			continue
		}
		checked = in.checkClock(ctx, checked)
		claims := in.claim(ctx, free)
		late := len(claims) > 0 && in.opts.Now().Sub(claims[0].Due) > lateAfter
		for i := range claims {
			pool.run(ctx, patienceFor(&claims[i].Source, late), func(ctx context.Context) { in.poll(ctx, finishing, &claims[i], nil) })
		}
		pool.release(free - len(claims))
		if len(claims) < free { // nothing else is due
			nap := in.nap(ctx)
			retry.Await(ctx, nil, shortestNap) // so that sources that become due together are claimed together
			retry.Await(ctx, in.opts.Wake, nap-shortestNap)
		}
	}
}

// claim claims due sources. It retries until the store answers or ctx ends, and logs the first failure and the recovery.
// The end of ctx does not cancel a call: an unknown claim would block its source until the lease ends.
func (in *Ingester) claim(ctx context.Context, most int) []feed.Claim {
	claims, _ := retry.Do(ctx, retry.Options{
		Failing:   func(err error) { in.opts.Logger.Warn("polling pauses: cannot claim sources", "err", err) },
		Recovered: func() { in.opts.Logger.Info("polling resumes: the store is available again") },
	}, func() ([]feed.Claim, error) {
		in.opts.OnTurn()
		call, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTime)
		defer cancel()
		return in.store.ClaimSources(call, most, in.opts.Lease)
	})
	return claims
}

// checkClock brings polls forward if the clock was set back, now or while no daemon ran. They would be late otherwise. It
// returns the time of the check, or zero if it must be repeated.
func (in *Ingester) checkClock(ctx context.Context, last time.Time) time.Time {
	now := in.opts.Now().Round(0) // the wall clock, without the monotonic one
	if !last.IsZero() && now.After(last.Add(-time.Second)) {
		return now
	}
	call, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	n, err := in.store.ClockSetBack(call)
	switch {
	case err != nil:
		return time.Time{} // the next claim reports the error
	case n > 0:
		in.opts.Logger.Warn("the clock was set back: polls are brought forward", "sources", n)
	}
	return now
}

// nap returns the time until the next source is due, within bounds.
func (in *Ingester) nap(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	due, err := in.store.NextDue(ctx)
	if err != nil || due.IsZero() { // the next claim reports the error
		return longestNap
	}
	return max(shortestNap, min(due.Sub(in.opts.Now()), longestNap))
}

// renewLease renews the lease of a claim every half of its duration until stop is called. It calls lost if the lease is
// lost. Most polls end before the first renewal and cost a timer.
func (in *Ingester) renewLease(ctx context.Context, claim *feed.Claim, lost context.CancelFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	half, ended := in.opts.Lease/2, make(chan struct{})
	timer := time.AfterFunc(half, func() {
		defer close(ended)
		for ; ctx.Err() == nil; retry.Await(ctx, nil, half) {
			call, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTime)
			err := in.store.RenewLease(call, *claim, in.opts.Lease)
			cancel()
			if errors.Is(err, feed.ErrLeaseLost) {
				lost()
				return
			}
		}
	})
	return func() {
		cancel()
		if !timer.Stop() {
			<-ended
		}
	}
}
