package hub

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// The rhythm of the dispatcher.
const (
	slowAfter  = 200 * time.Millisecond // a delivery that takes longer leaves its place to others
	moment     = time.Millisecond       // between two looks at results while workers have enough to do
	glance     = 50 * time.Millisecond  // between two looks at how long deliveries take
	lookEvery  = 200 * time.Millisecond // at the store, for what other daemons have queued
	drain      = 5 * time.Second        // for deliveries under way when the engine stops
	lastWords  = 3 * time.Second        // for their results to be written
	claimLimit = 512                    // deliveries claimed and not begun
	atHand     = 32                     // deliveries that workers can begin without asking
)

// job is one claimed delivery on its way through the dispatcher.
type job struct {
	delivery feed.Delivery
	host     *host
	began    atomic.Int64 // Unix nanoseconds; 0: it waits for a worker
	slow     bool
	result   settled
}

// dispatcher decides which delivery is begun when. One goroutine owns it; deliveries run in goroutines of their own.
type dispatcher struct {
	e     *Engine
	hosts map[string]*host
	queue []*job // their hosts have room, workers have not

	running map[*job]struct{} // with workers or at hand for them, but for the slow ones
	slow    int
	waiting int // in all hosts

	after    string    // subscription behind which the next claim begins
	next     time.Time // when something comes due; zero: nothing is known to
	hungry   bool      // there may be something to claim
	claiming bool
	looked   time.Time // the last claim

	claims  chan claimed
	jobs    chan *job
	workers int // goroutines that wait for jobs, or make one
	done    chan *job
	ended   chan<- settled
}

// claimed is the answer of the store to a claim.
type claimed struct {
	all   []feed.Delivery
	after string
	next  time.Time
	asked feed.Wanted
	ok    bool
}

// deliver claims and delivers until ctx ends, and then settles what is under way.
func (e *Engine) deliver(ctx context.Context) {
	ended := make(chan settled, 4*claimLimit)
	settler := make(chan struct{})
	settling, give := context.WithCancel(context.WithoutCancel(ctx))
	defer give()
	go func() {
		defer close(settler)
		e.settle(settling, ended)
	}()
	d := &dispatcher{
		e: e, hosts: make(map[string]*host), running: make(map[*job]struct{}), hungry: true,
		claims: make(chan claimed, 1), jobs: make(chan *job, e.opts.Workers+2*e.opts.Slow+atHand), done: make(chan *job, e.opts.Workers+e.opts.Slow+atHand), ended: ended,
	}
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	d.run(ctx, sending)
	d.stop(stop)
	close(ended)
	defer time.AfterFunc(lastWords, give).Stop()
	<-settler
}

// run dispatches until ctx ends. Deliveries are sent under the other context.
func (d *dispatcher) run(ctx, sending context.Context) {
	timer := time.NewTimer(glance)
	defer timer.Stop()
	forget := d.e.opts.Now()
	for ctx.Err() == nil {
		d.begin(sending)
		d.claim(ctx)
		done, soon := (<-chan *job)(d.done), (<-chan time.Time)(nil)
		if len(d.jobs) > atHand/2 { // the workers have enough at hand: many results are taken at a time
			done, soon = nil, time.After(moment)
		}
		select {
		case <-ctx.Done():
			return
		case c := <-d.claims:
			d.take(c)
		case j := <-done:
			d.finish(j)
			d.drainDone()
		case <-soon:
			d.drainDone()
		case <-d.e.delivering:
			d.hungry = true
		case <-timer.C:
			timer.Reset(glance)
			now := d.e.opts.Now()
			d.moveSlow()
			if now.Sub(d.looked) >= lookEvery || !d.next.IsZero() && !now.Before(d.next) {
				d.hungry = true
			}
			if now.Sub(forget) > window {
				forget = now
				d.forgetHosts(now)
			}
		}
	}
}

// drainDone takes the results that have come.
func (d *dispatcher) drainDone() {
	for {
		select {
		case j := <-d.done:
			d.finish(j)
		default:
			return
		}
	}
}

// stop gives back what is not begun, and lets the rest end for a while; then it is cut off.
func (d *dispatcher) stop(cut context.CancelFunc) {
	defer cut()
	if d.claiming {
		d.take(<-d.claims)
	}
	for _, j := range d.queue {
		d.putOff(j, d.e.opts.Now())
	}
	for _, h := range d.hosts {
		for _, j := range h.waiting {
			d.putOff(j, d.e.opts.Now())
		}
		h.waiting = nil
	}
	d.queue, d.waiting = nil, 0
	timer := time.AfterFunc(drain, cut)
	defer timer.Stop()
	for len(d.running)+d.slow > 0 {
		j := <-d.done
		d.finish(j)
	}
	close(d.jobs)
}
