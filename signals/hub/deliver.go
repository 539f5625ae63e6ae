package hub

import (
	"context"
	"runtime/debug"
	"slices"
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

// claim asks the store for more, where there is room for it.
func (d *dispatcher) claim(ctx context.Context) {
	held := len(d.queue) + d.waiting
	if !d.hungry || d.claiming || held >= claimLimit/2 {
		return
	}
	now, limit := d.e.opts.Now(), claimLimit-held
	if held+len(d.running) == 0 {
		limit = d.e.opts.Workers // the first ones start sooner than many are read
	}
	w := feed.Wanted{
		Limit: limit, PerHost: d.e.opts.PerHost + ahead, Free: make(map[string]int), After: d.after,
		Lease: 3 * d.e.opts.Timeout,
	}
	for id, h := range d.hosts {
		if h.claimed()+h.slow > 0 { // of the others up to PerHost
			w.Free[id] = h.room(&d.e.opts, now)
			h.capped = w.Free[id] == 0
		}
	}
	d.hungry, d.claiming, d.looked = false, true, now
	go func() {
		// A claim that has begun is not cut off: what nobody knows of would wait for its fence.
		call, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
		defer cancel()
		c := claimed{asked: w}
		var err error
		c.all, c.after, c.next, err = d.e.store.ClaimDeliveries(call, w)
		c.ok = err == nil
		if err != nil {
			d.e.claimFailed(err)
			await(ctx, nil, firstPause)
		}
		d.claims <- c
	}()
}

// claimFailed tells of a failed claim, once for all that follow one another.
func (e *Engine) claimFailed(err error) {
	if e.troubled.CompareAndSwap(false, true) {
		e.opts.Logger.Warn("the hub waits for the store", "reason", "deliveries are not claimed", "err", err)
	}
}

// take puts claimed deliveries into the queues of their hosts.
func (d *dispatcher) take(c claimed) {
	d.claiming = false
	if !c.ok {
		d.hungry = true
		return
	}
	if d.e.troubled.CompareAndSwap(true, false) {
		d.e.opts.Logger.Info("the hub goes on: the store answers again")
	}
	d.after, d.next = c.after, c.next
	d.hungry = d.hungry || len(c.all) >= c.asked.Limit
	now := d.e.opts.Now()
	got := make(map[*host]int)
	for i := range c.all {
		id := c.all[i].Subscription.HostID()
		h := d.hosts[id]
		if h == nil {
			h = &host{id: id, since: now}
			d.hosts[id] = h
		}
		j := &job{delivery: c.all[i], host: h}
		switch {
		case h.closed(now):
			d.hungry = true // what stands behind it is not to wait
			d.putOff(j, h.until.Add(time.Duration(d.e.jitter()*float64(spreadBreak))))
		case len(h.waiting) == 0 && h.free(&d.e.opts):
			h.running++
			d.queue = append(d.queue, j)
		default:
			h.waiting = append(h.waiting, j)
			d.waiting++
		}
		got[h]++
	}
	for h, n := range got {
		most, known := c.asked.Free[h.id]
		if !known {
			most = c.asked.PerHost
		}
		h.capped = h.capped || n >= most
		d.promote(h)
	}
}

// begin gives deliveries to free workers.
func (d *dispatcher) begin(ctx context.Context) {
	for len(d.queue) > 0 && len(d.running) < d.e.opts.Workers+atHand {
		j := d.queue[0]
		d.queue[0] = nil
		d.queue = d.queue[1:]
		now := d.e.opts.Now()
		if j.delivery.Fence.Sub(now) < d.e.opts.Timeout+time.Second {
			d.giveBack(j) // it has waited for too long
			continue
		}
		d.running[j] = struct{}{}
		d.jobs <- j
	}
	for d.workers < min(len(d.running), d.e.opts.Workers)+d.slow {
		d.workers++
		go d.work(ctx)
	}
}

// work makes deliveries until there are no more, or one worker is to go. A goroutine of its own for each would spend much
// of its time on growing its stack.
func (d *dispatcher) work(ctx context.Context) {
	for j := range d.jobs {
		if j == nil {
			return
		}
		j.began.Store(d.e.opts.Now().UnixNano())
		j.result = d.e.attempt(ctx, &j.delivery)
		d.done <- j
	}
}

// giveBack ends a claim unused.
func (d *dispatcher) giveBack(j *job) {
	d.putOff(j, d.e.opts.Now())
	d.leave(j)
}

// putOff ends a claim that is to be made again at a later time.
func (d *dispatcher) putOff(j *job, until time.Time) {
	d.ended <- settled{Settlement: feed.Settlement{Delivery: j.delivery, Outcome: feed.Deferred, Next: until}}
}

// leave takes a delivery off its host, and begins the next one of it.
func (d *dispatcher) leave(j *job) {
	h := j.host
	if j.slow {
		h.slow--
		d.slow--
		if d.workers > d.e.opts.Workers+d.slow {
			d.workers--
			d.jobs <- nil
		}
	} else {
		h.running--
	}
	d.promote(h)
}

// promote moves waiting deliveries of a host to the queue, as many as there is room for.
func (d *dispatcher) promote(h *host) {
	for len(h.waiting) > 0 && h.free(&d.e.opts) {
		j := h.waiting[0]
		h.waiting[0] = nil
		h.waiting = h.waiting[1:]
		d.waiting--
		h.running++
		d.queue = append(d.queue, j)
	}
	if h.capped && h.claimed() <= d.e.opts.PerHost+ahead/4 {
		h.capped, d.hungry = false, true
	}
}

// finish takes the result of a delivery.
func (d *dispatcher) finish(j *job) {
	delete(d.running, j)
	now, h := d.e.opts.Now(), j.host
	if j.result.tried && h.judge(j.result.answer, now) {
		d.e.opts.Logger.Warn("host left alone for a while", "host", feed.Host(j.delivery.Subscription.Callback), "until", h.until)
	}
	d.ended <- j.result
	if h.closed(now) {
		for _, w := range h.waiting {
			d.putOff(w, h.until.Add(time.Duration(d.e.jitter()*float64(spreadBreak))))
		}
		d.waiting -= len(h.waiting)
		h.waiting = nil
	}
	d.leave(j)
}

// moveSlow takes deliveries that last off the workers and off the places of their hosts, as far as there is room for
// them: who answers late must not keep others waiting.
func (d *dispatcher) moveSlow() {
	late := d.e.opts.Now().Add(-slowAfter).UnixNano()
	for j := range d.running {
		if began := j.began.Load(); began == 0 || began > late || d.slow >= d.e.opts.Slow || j.host.slow >= d.e.opts.SlowPerHost {
			continue
		}
		delete(d.running, j)
		j.slow = true
		j.host.running--
		j.host.slow++
		d.slow++
		d.promote(j.host)
	}
}

// forgetHosts drops what is known of hosts that are well and have nothing to do.
func (d *dispatcher) forgetHosts(now time.Time) {
	for id, h := range d.hosts {
		if h.idle(now) {
			delete(d.hosts, id)
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

// attempt makes one delivery and says what is to be written of it.
func (e *Engine) attempt(ctx context.Context, d *feed.Delivery) (s settled) {
	s.Delivery = *d
	defer func() {
		if p := recover(); p != nil {
			e.opts.OnPanic("signal")
			e.opts.Logger.Error("panic in a delivery", "subscription", d.Subscription.ID, "err", p, "stack", string(debug.Stack()))
			s.fail(e, answer{class: classError})
		}
	}()
	if sub := &d.Subscription; sub.Way == feed.WayPing && !slices.Contains(e.opts.Pings, sub.Callback) {
		s.remove = removeGone
		return s
	}
	if until := d.Subscription.Until; !until.IsZero() && !e.opts.Now().Before(until) {
		s.remove = removeExpired
		return s
	}
	version, err := e.bodies.get(ctx, d.Subscription.Topic, d.Version)
	if err != nil {
		s.Outcome, s.Next = feed.Deferred, e.opts.Now().Add(time.Second)
		return s
	}
	s.Delivery.Version = version.Version
	a, err := e.send(ctx, d, version)
	if err != nil || ctx.Err() != nil && a.status == 0 { // the claim is over, or the daemon stops
		s.Outcome, s.Next = feed.Deferred, e.opts.Now()
		return s
	}
	s.tried, s.answer = true, a
	e.metrics.tried(d.Subscription.Way, a.class)
	switch {
	case a.class == classTaken:
		s.Outcome, s.Readers = feed.Delivered, a.readers
		e.metrics.delivered(d.Subscription.Way, e.opts.Now().Sub(version.Time))
	case a.gone():
		s.remove = removeGone
	default:
		s.fail(e, a)
	}
	return s
}
