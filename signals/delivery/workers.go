package delivery

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// startJobs gives queued jobs to the workers, as many as they have room for.
func (d *dispatcher) startJobs(ctx context.Context) {
	for len(d.queue) > 0 && len(d.running) < d.e.opts.Workers+startedAhead && d.e.mayDeliver() {
		j := d.queue[0]
		d.queue[0] = nil
		d.queue = d.queue[1:]
		now := d.e.opts.Now()
		if j.Delivery.Fence.Sub(now) < d.e.current.Load().Timeout+time.Second { // the lease could end during the delivery
			d.postpone(j, now)
			d.release(j)
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

// work makes deliveries until it receives nil or jobs is closed. Workers are reused because a new goroutine for each
// delivery would spend much of its time on growing its stack.
func (d *dispatcher) work(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx) // all deliveries would contend for the lock of one context
	defer cancel()
	for j := range d.jobs {
		if j == nil {
			return
		}
		j.started.Store(d.e.opts.Now().UnixNano())
		d.e.attempt(ctx, &j.result)
		d.done <- j
	}
}

// postpone ends the lease of a delivery that is due again at a later time.
func (d *dispatcher) postpone(j *job, until time.Time) {
	j.Outcome, j.Next = feed.Deferred, until
	d.results <- &j.result
}

// release frees the slot of a job and queues the next job of its host.
func (d *dispatcher) release(j *job) {
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
	d.queueWaiting(h)
}

// queueWaiting moves waiting jobs of a host to the queue, as many as the host has slots for.
func (d *dispatcher) queueWaiting(h *host) {
	now := d.e.opts.Now()
	for len(h.waiting) > 0 && h.hasSlot(&d.e.opts, now) {
		j := h.waiting[0]
		h.waiting[0] = nil
		h.waiting = h.waiting[1:]
		d.waiting--
		h.running++
		d.queue = append(d.queue, j)
	}
	if h.capped && h.claimable(&d.e.opts, now) >= h.claimLimit(&d.e.opts, now)/2 {
		h.capped, d.wantsMore = false, true
	}
}

// finish processes the result of a job.
func (d *dispatcher) finish(j *job) {
	delete(d.running, j)
	now, h := d.e.opts.Now(), j.host
	if j.attempted && h.record(j.response, now) {
		d.e.opts.Logger.Warn("host suspended", "host", feed.Host(j.Delivery.Subscription.Callback), "until", h.until)
	}
	d.results <- &j.result
	if h.suspended(now) {
		d.postponeWaiting(h, h.until, spreadResume)
	}
	d.release(j)
}

// postponeWaiting postpones the waiting jobs of a host to random times between from and from+spread.
func (d *dispatcher) postponeWaiting(h *host, from time.Time, spread time.Duration) {
	for _, j := range h.waiting {
		d.postpone(j, from.Add(d.jittered(spread)))
	}
	d.waiting -= len(h.waiting)
	h.waiting = nil
}

// moveSlow moves slow jobs to the slow pool, which frees their workers and the slots of their hosts, so that a host that
// responds late does not delay others.
func (d *dispatcher) moveSlow() {
	now := d.e.opts.Now()
	late := now.Add(-slowAfter).UnixNano()
	moved := make(map[*host]bool)
	for j := range d.running {
		if started := j.started.Load(); started == 0 || started > late || d.slow >= maxSlow || j.host.slow >= slowPerHost {
			continue
		}
		delete(d.running, j)
		j.slow = true
		j.host.running--
		j.host.slow++
		j.host.responded = time.Time{}
		d.slow++
		moved[j.host] = true
	}
	for h := range moved {
		if h.running == 0 { // no delivery to this host is fast: let others use the room of its waiting jobs
			d.postponeWaiting(h, now, slowAfter)
		}
		d.queueWaiting(h)
	}
}
