package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	drainLimit = 5 * time.Second // how long run continues after its context has ended
	retryFirst = 100 * time.Millisecond
	retryMost  = 2 * time.Second
	batchDelay = 50 * time.Millisecond // between batches that no request waits for
)

// run records until ctx has ended and nothing is left, or drainLimit has passed since.
func (r *recorder) run(ctx context.Context) {
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(drainLimit, cancel) })()
	r.journal.Open()
	defer r.journal.Close()
	r.update(func() { r.running, r.behind = true, r.journal.Waiting() })
	defer r.update(func() { r.running = false })

	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = retryFirst, retryMost
	var again <-chan time.Time // not nil: the store is down until then
	stopping := ctx.Done()
	for hard.Err() == nil {
		b, unrecorded := r.first()
		tried, done := true, false
		switch {
		case again != nil && b != nil && r.toJournal(b):
			continue
		case again == nil && r.journal.Waiting() && ctx.Err() == nil:
			done = r.replay(hard)
		case again == nil && b != nil:
			if done = r.record(hard, b); done && r.retireAfter.Load() == 0 {
				retry.Await(ctx, nil, batchDelay) // more fetches join the next batch
			}
		case b == nil && unrecorded == 0 && ctx.Err() != nil:
			return
		default:
			tried = false
		}
		switch {
		case !tried:
			select {
			case <-r.wake:
			case <-r.retryNow:
				again = nil
			case <-again:
				again = nil
			case <-stopping:
				stopping = nil
			case <-hard.Done():
			}
		case done:
			pause.Reset()
		default:
			again = time.After(pause.NextBackOff())
		}
	}
	r.end()
}

// end writes the rest of the queue to the journal and logs how many fetches are lost.
func (r *recorder) end() {
	b, lost := r.first()
	for b != nil && r.toJournal(b) {
		b, lost = r.first()
	}
	if lost > 0 {
		r.opts.Logger.Error("stopped before all impressions were recorded", "feed", r.typ, "fetches", lost)
	}
}

// toJournal moves the first batch to the journal. It returns false if the journal does not accept it.
func (r *recorder) toJournal(b *batch) bool {
	if !r.journal.Add(b.Fetch, b.shown) {
		return false
	}
	r.removeFirst(func() { r.behind = true })
	return true
}

// replay records the next fetches of the journal. It returns false if the store is unavailable.
func (r *recorder) replay(ctx context.Context) bool {
	fetches, next := r.journal.Next()
	done := len(fetches.All) == 0 || r.send(ctx, fetches)
	if done {
		r.journal.Recorded(next)
	}
	r.update(func() { r.behind, r.down = r.journal.Waiting(), !done })
	return done
}

// record records the first batch. It returns false if the store is unavailable.
func (r *recorder) record(ctx context.Context, b *batch) bool {
	if !r.send(ctx, feed.Fetches{Shown: b.shown, All: []feed.Fetch{b.Fetch}}) {
		r.update(func() { r.down = true })
		return false
	}
	r.removeFirst(func() { r.down = false })
	return true
}

// send records fetches in the store. It returns false if the store failed in a way that is not the fault of the fetches. It drops
// those whose articles are damaged in the store: they would fail again and block all others.
func (r *recorder) send(ctx context.Context, fetches feed.Fetches) bool {
	result, err := r.try(ctx, fetches)
	switch {
	case err == nil:
		r.report(len(fetches.Shown), result)
	case errors.Is(err, feed.ErrDamaged), errors.Is(err, feed.ErrInvalid):
		r.opts.Logger.Error("impressions dropped", "feed", r.typ, "fetches", fetches.Times(), "err", err)
	default:
		if !r.down { // only run changes it
			r.opts.Logger.Warn("impressions wait for the store", "feed", r.typ, "err", err)
		}
		return false
	}
	return true
}

// try calls the store once. If ctx or the time for the call has ended, the error is feed.ErrUnavailable: whatever the store
// returned then says nothing about the fetches.
func (r *recorder) try(ctx context.Context, fetches feed.Fetches) (feed.ImpressionResult, error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	result, err := r.store.RecordImpressions(ctx, r.typ, fetches, int(r.retireAfter.Load()))
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", feed.ErrUnavailable, err)
	}
	return result, err
}

// report publishes the result of recording. The result for known fetches counts too: its first reply was lost.
func (r *recorder) report(shown int, result feed.ImpressionResult) {
	r.metrics.counted.Add(float64(result.Counted))
	r.metrics.ignored.Add(float64(result.Ignored))
	r.metrics.duplicate.Add(float64(shown * result.Known))
	for _, uuid := range result.Promoted {
		r.opts.Logger.Info("article promoted", "article", uuid, "feed", r.typ)
	}
	if len(result.Promoted) > 0 {
		r.promoted()
		if r.opts.OnPromoted != nil {
			r.opts.OnPromoted(r.typ, result.Promoted)
		}
	}
}
