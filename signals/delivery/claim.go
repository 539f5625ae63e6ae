package delivery

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

type claimed struct {
	all   []feed.Delivery
	after string
	next  time.Time
	claim feed.DeliveryClaim
}

// claim claims deliveries in the background if there is room for them.
func (d *dispatcher) claim(ctx context.Context) {
	pending := len(d.queue) + d.waiting
	if !d.wantsMore || d.claiming || pending >= claimLimit/2 {
		return
	}
	now, limit := d.e.opts.Now(), claimLimit-pending
	if pending+len(d.running) == 0 {
		limit = d.e.opts.Workers // a small claim returns sooner
	}
	c := feed.DeliveryClaim{
		Limit: limit, PerHost: silentClaims, Free: make(map[string]int), After: d.after,
		Lease: d.e.lease(), Daemon: d.e.opts.Daemon,
	}
	for id, h := range d.hosts {
		if h.claimed()+h.slow > 0 || h.suspended(now) { // PerHost covers the others, which may be very many
			c.Free[id] = h.claimable(&d.e.opts, now)
			h.capped = c.Free[id] == 0
		}
	}
	d.wantsMore, d.claiming, d.claimedAt = false, true, now
	go func() {
		result, _ := patiently(ctx, d.e, "deliveries are not claimed", func(context.Context) (r claimed, err error) {
			// A claim is not cancelled: its deliveries would have to wait for their fences.
			call, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
			defer cancel()
			r.claim = c
			r.all, r.after, r.next, err = d.e.store.ClaimDeliveries(call, c)
			return r, err
		})
		d.claims <- result
	}()
}

// addClaimed puts claimed deliveries into the queue, or into those of their hosts.
func (d *dispatcher) addClaimed(c claimed) {
	d.claiming = false
	d.after, d.next = c.after, c.next
	d.wantsMore = d.wantsMore || len(c.all) >= c.claim.Limit
	now := d.e.opts.Now()
	added := make(map[*host]int)
	for i := range c.all {
		id := c.all[i].Subscription.HostID()
		h := d.hosts[id]
		if h == nil {
			h = &host{id: id, since: now}
			d.hosts[id] = h
		}
		j := &job{host: h}
		j.Delivery = c.all[i]
		switch {
		case h.suspended(now):
			d.wantsMore = true // there may be deliveries to other hosts behind it
			d.postpone(j, h.until.Add(d.jittered(spreadResume)))
		case len(h.waiting) == 0 && h.hasSlot(&d.e.opts, now):
			h.running++
			d.queue = append(d.queue, j)
		default:
			h.waiting = append(h.waiting, j)
			d.waiting++
		}
		added[h]++
	}
	for h, n := range added {
		limit, known := c.claim.Free[h.id]
		if !known {
			limit = c.claim.PerHost
		}
		h.capped = h.capped || n >= limit
		d.queueWaiting(h)
	}
}

func (d *dispatcher) jittered(limit time.Duration) time.Duration {
	return time.Duration(d.e.jitter() * float64(limit))
}
