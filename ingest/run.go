package ingest

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// The rhythm of the claiming loop.
const (
	longestNap  = time.Second            // so that a source that another daemon added is seen soon
	shortestNap = 50 * time.Millisecond  // where the store's clock is ahead of ours
	claimTime   = 5 * time.Second        // for one answer of the store
	firstRetry  = 100 * time.Millisecond // of a store call that failed, doubled up to
	lastRetry   = 2 * time.Second
)

// Run polls what is due until ctx ends. It claims no more sources than it has idle workers, so that no lease runs out
// while its source waits in memory. On the way out fetches are broken off and their claims given back, while documents
// that are in hand are still saved; that takes a few seconds at most. The error is always nil: a store that is away is
// waited for.
func (in *Ingester) Run(ctx context.Context) error {
	settled, cancel := settle(ctx)
	defer cancel()
	var pollers sync.WaitGroup
	defer (&http.Client{Transport: in.transport}).CloseIdleConnections()
	defer pollers.Wait()

	work := make(chan *feed.Claim)
	idle := make(chan struct{}, in.opts.Workers) // a token for each idle worker
	for range in.opts.Workers {
		idle <- struct{}{}
	}
	slow := &lane{room: slowLane * in.opts.Workers}
	pulse := time.NewTicker(longestNap)
	defer pulse.Stop()
	var seen time.Time // on the clock
	for {
		in.opts.OnTurn()
		free := takeAll(ctx, idle, pulse.C)
		if ctx.Err() != nil {
			return nil
		}
		if free == 0 { // all workers wait for servers or the store: that is no reason to think that the loop hangs
			continue
		}
		seen = in.heedClock(ctx, seen)
		claims := in.claim(ctx, free)
		for i := range claims {
			claim := &claims[i]
			select {
			case work <- claim: // to a goroutine that has polled before and waits
			default:
				pollers.Go(func() {
					for more := true; more; claim, more = next(ctx, work) {
						seat := sit(idle, slow)
						in.poll(seat.seated(ctx), settled, claim, nil)
						seat.leave()
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

// next waits for another claim; it reports false when ctx ends first.
func next(ctx context.Context, work <-chan *feed.Claim) (claim *feed.Claim, more bool) {
	select {
	case claim = <-work:
		return claim, true
	case <-ctx.Done():
		return claim, false
	}
}

// takeAll waits for a token and takes it and all others that are there; none when a pulse or the end of ctx comes first.
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

// claim asks the store for due sources until it answers or ctx ends, with one log line when the store goes away and one
// when it is back. A call that has begun is not cut off by the end of ctx: claims nobody knows of would block their
// sources until the lease ends.
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

// heedClock sees to it that a clock that was set back, while this daemon ran or before, does not end polling until it is
// again where it was. It returns what the clock shows, or zero where that is to be seen to once more.
func (in *Ingester) heedClock(ctx context.Context, seen time.Time) time.Time {
	now := in.opts.Now().Round(0) // by the clock, not by the time that has passed
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

// nap is how long nothing will fall due.
func (in *Ingester) nap(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	due, err := in.store.NextDue(ctx)
	if err != nil || due.IsZero() { // the next claim tells of the error
		return longestNap
	}
	return max(shortestNap, min(due.Sub(in.opts.Now()), longestNap))
}

// rest waits for d, or until something was made due; but some time in any case, so that what comes in a crowd is claimed
// together.
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
