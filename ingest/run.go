package ingest

import (
	"context"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Durations of the claiming loop.
const (
	longestNap  = time.Second            // until a source that another daemon added is claimed
	shortestNap = 50 * time.Millisecond  // if the store's clock is ahead
	claimTime   = 5 * time.Second        // timeout of a store call
	firstRetry  = 100 * time.Millisecond // of a failed store call, doubled up to lastRetry
	lastRetry   = 2 * time.Second
)

// Run polls due sources until ctx ends. It claims no more sources than it has idle workers, so that no lease ends while its
// source waits in memory. When ctx ends, Run cancels fetches and releases their claims, but still saves the documents that
// were fetched, which takes a few seconds at most. It always returns nil: it waits for an unavailable store.
func (in *Ingester) Run(ctx context.Context) error {
	settled, cancel := settle(ctx)
	defer cancel()
	var pollers sync.WaitGroup
	defer in.client.CloseIdleConnections()
	defer pollers.Wait()

	work := make(chan *feed.Claim)
	idle := make(chan struct{}, in.opts.Workers) // a token for each idle worker
	for range in.opts.Workers {
		idle <- struct{}{}
	}
	slow := &slowPool{size: slowPerWorker * in.opts.Workers}
	pulse := time.NewTicker(longestNap)
	defer pulse.Stop()
	var seen time.Time // on the clock
	for {
		in.opts.OnTurn()
		free := takeAll(ctx, idle, pulse.C)
		if ctx.Err() != nil {
			return nil
		}
		if free == 0 { // all workers are busy; the loop itself does not hang
			continue
		}
		seen = in.checkClock(ctx, seen)
		claims := in.claim(ctx, free)
		for i := range claims {
			claim := &claims[i]
			select {
			case work <- claim: // to a waiting goroutine
			default:
				pollers.Go(func() {
					for more := true; more; claim, more = next(ctx, work) {
						slot := newSlot(idle, slow)
						in.poll(slot.context(ctx), settled, claim, nil)
						slot.release()
					}
				})
			}
		}
		for range free - len(claims) {
			idle <- struct{}{}
		}
		if len(claims) < free { // nothing else is due
			in.rest(ctx, in.nap(ctx))
		}
	}
}

// next waits for a claim. It reports false if ctx ends first.
func next(ctx context.Context, work <-chan *feed.Claim) (claim *feed.Claim, more bool) {
	select {
	case claim = <-work:
		return claim, true
	case <-ctx.Done():
		return claim, false
	}
}

// takeAll waits for a token and takes all available ones. It returns 0 if a pulse or the end of ctx comes first.
func takeAll(ctx context.Context, tokens <-chan struct{}, pulse <-chan time.Time) int {
	select {
	case <-tokens:
	case <-pulse:
		return 0
	case <-ctx.Done():
		return 0
	}
	n := 1
	for {
		select {
		case <-tokens:
			n++
		default:
			return n
		}
	}
}

// claim claims due sources. It retries until the store answers or ctx ends, and logs the first failure and the recovery.
// The end of ctx does not cancel a call: an unknown claim would block its source until the lease ends.
func (in *Ingester) claim(ctx context.Context, most int) []feed.Claim {
	away := false
	for delay := firstRetry; ctx.Err() == nil; delay = min(2*delay, lastRetry) {
		in.opts.OnTurn()
		call, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTime)
		claims, err := in.store.ClaimSources(call, most, in.opts.Lease)
		cancel()
		switch {
		case err == nil && away:
			in.opts.Logger.Info("polling goes on: the store answers again")
			return claims
		case err == nil:
			return claims
		case !away:
			in.opts.Logger.Warn("polling pauses: the store gives no sources", "err", err)
			away = true
		}
		pause(ctx, delay)
	}
	return nil
}

// checkClock brings polls forward if the clock was set back, now or while no daemon ran: they would be due late otherwise.
// It returns the time, or zero if the check must be repeated.
func (in *Ingester) checkClock(ctx context.Context, seen time.Time) time.Time {
	now := in.opts.Now().Round(0) // the wall clock, without the monotonic one
	if !seen.IsZero() && now.After(seen.Add(-time.Second)) {
		return now
	}
	call, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	n, err := in.store.ClockSetBack(call)
	switch {
	case err != nil:
		return time.Time{} // the next claim tells of the error
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
	if err != nil || due.IsZero() { // the next claim tells of the error
		return longestNap
	}
	return max(shortestNap, min(due.Sub(in.opts.Now()), longestNap))
}

// rest waits for d or until a source becomes due, but at least shortestNap, so that sources that become due together are
// claimed together.
func (in *Ingester) rest(ctx context.Context, d time.Duration) {
	pause(ctx, shortestNap)
	timer := time.NewTimer(d - shortestNap)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-in.opts.Wake:
	case <-ctx.Done():
	}
}

// pause waits for d or the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
