package hub

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxPoll      = 10 * time.Second // so that the requests of a killed daemon are found before their leases end
	minPoll      = 20 * time.Millisecond
	callTimeout  = 5 * time.Second // for a call of the store
	writeTimeout = 5 * time.Second // for storing a verification before the lease of its request ends
	grantTimeout = time.Minute     // likewise if a topic is added; a repeated verification is harmless
	claimLimit   = 256             // requests of one claim
)

// Run verifies stored requests until ctx ends, and then waits for verifications in progress. It retries if the
// store fails, and always returns nil.
func (f *Front) Run(ctx context.Context) error {
	defer f.work.Wait()
	f.reclaim(ctx)
	f.work.Go(func() { f.denyRemoved(ctx) })
	for range addWorkers {
		f.work.Go(func() { f.addPublished(ctx) })
	}
	patience := retry.Options{Failing: func(err error) {
		f.opts.Logger.Warn("requests to the hub are not verified: the store does not respond", "err", err)
	}}
	for ctx.Err() == nil {
		pause, _ := retry.Do(ctx, patience, func() (time.Duration, error) { return f.poll(ctx) }) // fails only if ctx ends
		retry.Await(ctx, f.wakeup, pause)
	}
	return nil
}

// Wake makes Run verify the requests now that others have stored.
func (f *Front) Wake() { retry.Wake(f.wakeup) }

// reclaim makes the requests due that a killed process of this daemon had claimed.
func (f *Front) reclaim(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if n, err := f.store.ReclaimHubRequests(ctx); err != nil {
		f.opts.Logger.Warn("interrupted requests to the hub wait for the end of their leases", "err", err)
	} else if n > 0 {
		f.opts.Logger.Info("interrupted requests to the hub resumed", "count", n)
	}
}

// lease is how long a request is claimed.
func (f *Front) lease() time.Duration { return f.current.Load().Timeout + writeTimeout }

// poll starts the verifications that are due and returns the time until the next poll.
func (f *Front) poll(ctx context.Context) (pause time.Duration, err error) {
	waited := f.schedule.startWaiting()
	for _, r := range waited {
		f.startVerification(ctx, r, f.opts.Now().Add(f.lease()))
	}
	call, cancel := context.WithTimeout(ctx, callTimeout)
	due, next, err := f.store.ClaimHubRequests(call, claimLimit, f.lease())
	cancel()
	for i := 0; i < len(due) && err == nil; i++ {
		switch what, at := f.schedule.decide(&due[i], f.opts.Now()); what {
		case startNow:
			f.startVerification(ctx, due[i], time.Time{})
		case postpone:
			err = f.store.RetryHubRequest(ctx, due[i], due[i].Tries, at)
		}
	}
	switch {
	case err != nil:
		return 0, err
	case len(due) == claimLimit || len(waited) > 0: // there may be more
		return minPoll, nil
	case next.IsZero():
		return maxPoll, nil
	}
	return min(max(next.Sub(f.opts.Now()), minPoll), maxPoll), nil
}

// startVerification starts the verification of a request. It prolongs its claim first, unless until is zero.
func (f *Front) startVerification(ctx context.Context, r feed.HubRequest, until time.Time) {
	f.work.Go(func() {
		defer retry.Wake(f.wakeup)
		defer f.schedule.end(&r)
		log := f.opts.Logger.With("subscription", r.Subscription(), "feed", r.Topic)
		var err error
		if !until.IsZero() {
			err = f.store.RetryHubRequest(ctx, r, r.Tries, until)
		}
		if err == nil {
			err = f.verify(ctx, r)
		}
		switch {
		case err == nil || ctx.Err() != nil || errors.Is(err, feed.ErrNotFound):
		case errors.Is(err, feed.ErrUnavailable):
			log.Warn("request to the hub postponed", "err", err)
		default: // it would fail every time
			log.Error("request to the hub dropped", "err", err)
			if err := f.store.DropHubRequest(ctx, r); err != nil {
				log.Warn("request to the hub postponed", "err", err)
			}
		}
	})
}
