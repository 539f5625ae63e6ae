// Package retry repeats calls of a store that may be unavailable, reports what fails meanwhile, and lets loops sleep until there is
// work.
package retry

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/feedwire/feedwire/store/feed"
)

// Options configures Do. With the zero value every error is retried until ctx ends.
type Options struct {
	Limit     time.Duration    // for all attempts; then Do returns the last error. 0: none
	Final     func(error) bool // reports an error that no attempt resolves
	Failing   func(error)      // called after the first failure
	Recovered func()           // called after a success that follows failures
}

// NotUnavailable is an Options.Final: only feed.ErrUnavailable is retried.
func NotUnavailable(err error) bool { return !errors.Is(err, feed.ErrUnavailable) }

// Do repeats a call until it succeeds, with pauses from 100 ms to 2 s: the daemon promises to recover within 5 s.
func Do[T any](ctx context.Context, o Options, call func() (T, error)) (T, error) {
	failed := false
	result, err := backoff.Retry(ctx, func() (T, error) {
		result, err := call()
		if err != nil && o.Final != nil && o.Final(err) {
			err = backoff.Permanent(err)
		}
		return result, err
	}, backoff.WithMaxElapsedTime(o.Limit), backoff.WithBackOff(&backoff.ExponentialBackOff{
		InitialInterval: 100 * time.Millisecond, Multiplier: 2, MaxInterval: 2 * time.Second,
	}), backoff.WithNotify(func(err error, _ time.Duration) {
		if !failed && o.Failing != nil {
			o.Failing(err)
		}
		failed = true
	}))
	if err == nil && failed && o.Recovered != nil {
		o.Recovered()
	}
	return result, err
}

// Wake puts a token into a channel unless it has one.
func Wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Await waits for a token, for a duration, or for the end of ctx, and reports whether ctx is still active.
func Await(ctx context.Context, token <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-token:
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
