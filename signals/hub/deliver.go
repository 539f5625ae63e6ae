package hub

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

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
		Limit: limit, PerHost: atFirst, Free: make(map[string]int), After: d.after,
		Lease: 3 * d.e.terms().Timeout,
	}
	for id, h := range d.hosts {
		if h.claimed()+h.slow > 0 || h.closed(now) { // the others, which may be very many, are as new ones
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
		case len(h.waiting) == 0 && h.free(&d.e.opts, now):
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
		if j.delivery.Fence.Sub(now) < d.e.terms().Timeout+time.Second {
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
	now := d.e.opts.Now()
	for len(h.waiting) > 0 && h.free(&d.e.opts, now) {
		j := h.waiting[0]
		h.waiting[0] = nil
		h.waiting = h.waiting[1:]
		d.waiting--
		h.running++
		d.queue = append(d.queue, j)
	}
	if h.capped && h.room(&d.e.opts, now) >= h.reach(&d.e.opts, now)/2 {
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
		d.dismiss(h, h.until, spreadBreak)
	}
	d.leave(j)
}

// dismiss ends the claims that wait for a host. They come again spread over some time from then on.
func (d *dispatcher) dismiss(h *host, from time.Time, spread time.Duration) {
	for _, j := range h.waiting {
		d.putOff(j, from.Add(time.Duration(d.e.jitter()*float64(spread))))
	}
	d.waiting -= len(h.waiting)
	h.waiting = nil
}

// moveSlow takes deliveries that last off the workers and off the places of their hosts, as far as there is room for
// them: who answers late must not keep others waiting.
func (d *dispatcher) moveSlow() {
	now := d.e.opts.Now()
	late := now.Add(-slowAfter).UnixNano()
	moved := make(map[*host]bool)
	for j := range d.running {
		if began := j.began.Load(); began == 0 || began > late || d.slow >= d.e.opts.Slow || j.host.slow >= d.e.opts.SlowPerHost {
			continue
		}
		delete(d.running, j)
		j.slow = true
		j.host.running--
		j.host.slow++
		j.host.answered = time.Time{}
		d.slow++
		moved[j.host] = true
	}
	for h := range moved {
		if h.running == 0 { // nobody there is quick: what waits would take the place of what could be claimed
			d.dismiss(h, now, slowAfter)
		}
		d.promote(h)
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
