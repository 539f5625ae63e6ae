package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// result is the result of one delivery.
type result struct {
	feed.DeliveryResult
	remove    string   // resultGone or resultExpired: the subscription ends; empty: it does not
	attempted bool     // a request was sent
	response  response // of the request
}

// fail marks the delivery as failed and sets the time of the next attempt. After the horizon there is none until the next
// version.
func (s *result) fail(e *Engine, r response) {
	now, h := e.opts.Now(), s.Delivery.Subscription.Health
	h.Failures++
	if h.Failures == 1 {
		h.Since = now
	}
	h.Last, h.Status, h.Reason, h.Next = now, r.status, r.reason(), time.Time{}
	s.Outcome, s.Health, s.Next = feed.Failed, h, time.Time{}
	if now.Sub(h.Since) < e.current.Load().Horizon {
		s.Next = now.Add(max(r.wait, e.retryDelay(h.Failures)))
	}
}

// retryDelay returns the time until the next attempt: doubled for each failure, with jitter, so that deliveries that
// failed together are not retried together. Delays survive restarts, so that they follow from the number of failures.
func (e *Engine) retryDelay(failures int) time.Duration {
	d := e.opts.MaxRetry
	if n := failures - 1; n < 22 { // an hour, doubled more often, would overflow
		d = min(d, e.current.Load().FirstRetry<<n)
	}
	return d/2 + time.Duration(e.jitter()*float64(d/2))
}

// Results are written in batches.
const (
	batchDelay    = 10 * time.Millisecond // for more results
	batchLimit    = 256
	resultTimeout = 30 * time.Second // for the store to recover; then the fences are over anyway
)

// writeResults writes results until the channel is closed.
func (e *Engine) writeResults(ctx context.Context, results <-chan *result) {
	batch, writes := make([]*result, 0, batchLimit), make([]feed.DeliveryResult, 0, batchLimit)
	for first := range results {
		batch, writes = fillBatch(append(batch[:0], first), results), writes[:0]
		for _, r := range batch {
			if r.remove == "" {
				writes = append(writes, r.DeliveryResult)
			} else {
				e.removeSubscription(ctx, r)
			}
		}
		if len(writes) > 0 {
			e.finishDeliveries(ctx, writes)
		}
	}
}

// fillBatch appends the results that arrive within batchDelay.
func fillBatch(batch []*result, results <-chan *result) []*result {
	timer := time.NewTimer(batchDelay)
	defer timer.Stop()
	for len(batch) < batchLimit {
		select {
		case r, ok := <-results:
			if !ok {
				return batch
			}
			batch = append(batch, r)
		case <-timer.C:
			return batch
		}
	}
	return batch
}

// finishDeliveries writes results. If the store does not recover in time, the deliveries become due again and are repeated
// with the same ids.
func (e *Engine) finishDeliveries(ctx context.Context, all []feed.DeliveryResult) {
	ctx, cancel := context.WithTimeout(ctx, resultTimeout)
	defer cancel()
	var again int
	lost, ok := patiently(ctx, e, "results are not written", func(ctx context.Context) (lost int, err error) {
		lost, again, err = e.store.FinishDeliveries(ctx, all)
		return lost, err
	})
	if !ok {
		e.opts.Logger.Warn("results of deliveries not written; the deliveries will be repeated", "count", len(all))
		return
	}
	if lost > 0 {
		e.opts.Logger.Warn("leases of deliveries ended before their results were written", "count", lost)
	}
	e.reportDead(all)
	if again > 0 {
		retry.Wake(e.delivering)
	}
}

// reportDead counts the deliveries that failed permanently, and logs one of those that failed for the same reason at the same host: a host
// may have thousands of callbacks, and the dead letters name them all.
func (e *Engine) reportDead(all []feed.DeliveryResult) {
	type cause struct{ host, reason string }
	dead := make(map[cause][]*feed.DeliveryResult)
	for i := range all {
		if d := &all[i]; d.Outcome == feed.Failed && d.Next.IsZero() {
			e.metrics.ended(d.Delivery.Subscription.Kind, resultFailed)
			c := cause{feed.Host(d.Delivery.Subscription.Callback), d.Health.Reason}
			dead[c] = append(dead[c], d)
		}
	}
	for c, same := range dead {
		first := same[0]
		sub := &first.Delivery.Subscription
		e.opts.Logger.Warn("delivery failed permanently; the subscriber gets the next version", "delivery", first.Delivery.ID(),
			"subscription", sub.ID, "feed", sub.Topic, "failures", first.Health.Failures, "reason", c.reason, "host", c.host, "count", len(same))
	}
}

// removeSubscription ends the subscription of a delivery.
func (e *Engine) removeSubscription(ctx context.Context, r *result) {
	ctx, cancel := context.WithTimeout(ctx, resultTimeout)
	defer cancel()
	sub := &r.Delivery.Subscription
	removed, _ := patiently(ctx, e, "a subscription is not ended", func(ctx context.Context) (bool, error) {
		err := e.store.RemoveSubscription(ctx, r.Delivery)
		if errors.Is(err, feed.ErrLeaseLost) {
			return false, nil
		}
		return true, err
	})
	if removed {
		e.metrics.ended(sub.Kind, r.remove)
		e.opts.Logger.Info("subscription ended", "delivery", r.Delivery.ID(), "subscription", sub.ID, "feed", sub.Topic, "reason", r.remove)
	}
}
