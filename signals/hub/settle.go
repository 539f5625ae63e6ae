package hub

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// removal says why a subscription is removed after a delivery.
type removal string

const (
	removeNot     removal = ""
	removeGone    removal = "gone"    // the subscriber answered 410, or is a hub that is not configured any more
	removeExpired removal = "expired" // its lease is over
)

// settled is what became of one delivery, to be written.
type settled struct {
	feed.Settlement
	remove removal
	tried  bool // a POST was made; answer says what came of it
	answer answer
}

// fail makes it a failure, with the time of the next try. After the horizon there is none until the next version.
func (s *settled) fail(e *Engine, a answer) {
	now, h := e.opts.Now(), s.Delivery.Subscription.Health
	h.Failures++
	if h.Failures == 1 {
		h.Since = now
	}
	h.Last, h.Status, h.Reason, h.Next = now, a.status, a.class, time.Time{}
	s.Outcome, s.Health, s.Next = feed.Failed, h, time.Time{}
	if now.Sub(h.Since) < e.terms().Horizon {
		s.Next = now.Add(max(a.wait, e.backOff(h.Failures)))
	}
}

// backOff is the time from a failure to the next try: doubled with each, and spread so that those who failed together do
// not come back together.
func (e *Engine) backOff(failures int) time.Duration {
	d := e.opts.LastRetry
	if n := failures - 1; n < 30 {
		d = min(d, e.opts.FirstRetry<<n)
	}
	return d/2 + time.Duration(e.jitter()*float64(d/2))
}

// The rhythm of settling: many results are written at a time.
const (
	linger      = 10 * time.Millisecond // for more results
	settleLimit = 256
	settleTime  = 30 * time.Second // for the store to come back; then the fences are over anyhow
)

// settle writes results down until there are no more.
func (e *Engine) settle(ctx context.Context, results <-chan settled) {
	batch := make([]settled, 0, settleLimit)
	for first := range results {
		batch = gather(append(batch[:0], first), results)
		writes := make([]feed.Settlement, 0, len(batch))
		for i := range batch {
			if batch[i].remove == removeNot {
				writes = append(writes, batch[i].Settlement)
			} else {
				e.removed(ctx, &batch[i])
			}
		}
		if len(writes) > 0 {
			e.write(ctx, writes)
		}
	}
}

// gather collects more results behind the first one.
func gather(batch []settled, results <-chan settled) []settled {
	timer := time.NewTimer(linger)
	defer timer.Stop()
	for len(batch) < settleLimit {
		select {
		case s, more := <-results:
			if !more {
				return batch
			}
			batch = append(batch, s)
		case <-timer.C:
			return batch
		}
	}
	return batch
}

// write settles deliveries. Where the store stays away for too long they come due again by themselves and are repeated,
// with the same ids.
func (e *Engine) write(ctx context.Context, all []feed.Settlement) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	var lost, again int
	if !e.retry(ctx, "results are not written", func(ctx context.Context) (err error) {
		lost, again, err = e.store.SettleDeliveries(ctx, all)
		return err
	}) {
		e.opts.Logger.Warn("results of deliveries not written, they will be repeated", "count", len(all))
		return
	}
	if lost > 0 {
		e.opts.Logger.Warn("claims of deliveries were lost before they were settled", "count", lost)
	}
	for i := range all {
		if s := &all[i]; s.Outcome == feed.Failed && s.Next.IsZero() {
			e.metrics.gaveUp(s.Delivery.Subscription.Way)
			e.opts.Logger.Warn("subscriber given up until the next version", "delivery", s.Delivery.ID(),
				"subscription", s.Delivery.Subscription.ID, "feed", s.Delivery.Subscription.Topic, "failures", s.Health.Failures, "reason", s.Health.Reason)
		}
	}
	if again > 0 {
		wake(e.delivering)
	}
}

// removed ends the subscription of a delivery.
func (e *Engine) removed(ctx context.Context, s *settled) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	sub := &s.Delivery.Subscription
	var lost bool
	if e.retry(ctx, "subscription not ended", func(ctx context.Context) error {
		err := e.store.RemoveSubscription(ctx, s.Delivery)
		if lost = errors.Is(err, feed.ErrLeaseLost); lost {
			return nil
		}
		return err
	}) && !lost {
		e.metrics.ended(sub.Way, s.remove)
		e.opts.Logger.Info("subscription ended", "delivery", s.Delivery.ID(), "subscription", sub.ID, "feed", sub.Topic, "reason", string(s.remove))
	}
}
