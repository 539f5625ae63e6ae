package delivery

import (
	"context"
	"maps"
	"sync/atomic"
	"time"
)

// Intervals and bounds of the dispatcher.
const (
	slowAfter    = 200 * time.Millisecond // a delivery that takes longer moves to the slow pool
	drainTick    = time.Millisecond       // interval of reading results while the workers are busy
	slowTick     = 50 * time.Millisecond  // interval of checks for slow deliveries
	claimEvery   = 200 * time.Millisecond // interval of claims, which find what other daemons have queued
	stopGrace    = 5 * time.Second        // for deliveries in progress when the engine stops
	resultGrace  = 3 * time.Second        // for writing their results
	claimLimit   = 512                    // deliveries claimed but not started
	startedAhead = 32                     // deliveries buffered for the workers
)

// job is a claimed delivery in the dispatcher.
type job struct {
	result
	host    *host
	started atomic.Int64 // Unix nanoseconds; 0: waits for a worker
	slow    bool         // in the slow pool
}

// dispatcher decides when each delivery starts. One goroutine owns it; workers make the deliveries.
type dispatcher struct {
	e     *Engine
	hosts map[string]*host // by feed.HostID
	queue []*job           // their hosts have free slots

	running map[*job]struct{} // with the workers or buffered for them, without slow ones
	slow    int               // jobs in the slow pool
	waiting int               // jobs that wait for a slot of their host

	after     string    // subscription after which the next claim starts
	next      time.Time // when a delivery becomes due; zero: unknown
	wantsMore bool      // there may be something to claim
	claiming  bool
	claimedAt time.Time // the last claim

	claims  chan claimed
	jobs    chan *job // nil stops one worker
	workers int
	done    chan *job
	results chan<- *result
}

// deliver claims and delivers until ctx ends, and then writes the results of deliveries in progress. The deliveries of an earlier
// process of this daemon are released first.
func (e *Engine) deliver(ctx context.Context) {
	_, _ = patiently(ctx, e, "interrupted deliveries are not resumed", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, e.release(ctx, e.opts.Daemon, 0)
	})
	announcing, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	left := make(chan struct{})
	go func() {
		defer close(left)
		e.announce(announcing)
	}()
	results := make(chan *result, 4*claimLimit)
	written := make(chan struct{})
	writing, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	go func() {
		defer close(written)
		e.writeResults(writing, results)
	}()
	inProgress := e.opts.Workers + maxSlow + startedAhead
	d := &dispatcher{
		e: e, hosts: make(map[string]*host), running: make(map[*job]struct{}), wantsMore: true,
		claims: make(chan claimed, 1), jobs: make(chan *job, inProgress+maxSlow), done: make(chan *job, inProgress), results: results,
	}
	sending, abort := context.WithCancel(context.WithoutCancel(ctx))
	d.run(ctx, sending)
	d.stop(abort)
	close(results)
	defer time.AfterFunc(resultGrace, giveUp).Stop()
	<-written
	leave()
	<-left
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = e.release(last, e.opts.Daemon, 0) // otherwise others do it soon
}

// run dispatches until ctx ends. Deliveries use the context sending.
func (d *dispatcher) run(ctx, sending context.Context) {
	timer := time.NewTimer(slowTick)
	defer timer.Stop()
	cleaned := d.e.opts.Now()
	for ctx.Err() == nil {
		d.startJobs(sending)
		d.claim(ctx)
		done, tick := (<-chan *job)(d.done), (<-chan time.Time)(nil)
		if len(d.jobs) > startedAhead/2 { // the workers are busy: read many results at a time
			done, tick = nil, time.After(drainTick)
		}
		select {
		case <-ctx.Done():
			return
		case c := <-d.claims:
			d.addClaimed(c)
		case j := <-done:
			d.finish(j)
			d.drain()
		case <-tick:
			d.drain()
		case <-d.e.delivering:
			d.wantsMore = true
		case <-timer.C:
			timer.Reset(slowTick)
			now := d.e.opts.Now()
			d.moveSlow()
			if now.Sub(d.claimedAt) >= claimEvery || !d.next.IsZero() && !now.Before(d.next) {
				d.wantsMore = true
			}
			if now.Sub(cleaned) > window {
				cleaned = now
				maps.DeleteFunc(d.hosts, func(_ string, h *host) bool { return h.idle(now) })
			}
		}
	}
}

func (d *dispatcher) drain() {
	for {
		select {
		case j := <-d.done:
			d.finish(j)
		default:
			return
		}
	}
}

// stop returns the deliveries that are not started to the store and waits for the others, which abort ends after
// stopGrace.
func (d *dispatcher) stop(abort context.CancelFunc) {
	defer abort()
	if d.claiming {
		d.addClaimed(<-d.claims)
	}
	for _, j := range d.queue {
		d.postpone(j, d.e.opts.Now())
	}
	for _, h := range d.hosts {
		for _, j := range h.waiting {
			d.postpone(j, d.e.opts.Now())
		}
		h.waiting = nil
	}
	d.queue, d.waiting = nil, 0
	timer := time.AfterFunc(stopGrace, abort)
	defer timer.Stop()
	for len(d.running)+d.slow > 0 {
		d.finish(<-d.done)
	}
	close(d.jobs)
}
