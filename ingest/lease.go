package ingest

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// keepLease lengthens the lease of a poll at half its time, again and again, until stop is called. When the lease is
// lost it calls lost. Most polls end long before that and cost a timer.
func (in *Ingester) keepLease(ctx context.Context, claim *feed.Claim, lost context.CancelFunc) (stop func()) {
	half := in.opts.Lease / 2
	done, ended := make(chan struct{}), make(chan struct{})
	timer := time.AfterFunc(half, func() {
		defer close(ended)
		again := time.NewTicker(half)
		defer again.Stop()
		for {
			call, cancel := context.WithTimeout(ctx, claimTime)
			err := in.store.RenewLease(call, *claim, in.opts.Lease)
			cancel()
			if errors.Is(err, feed.ErrLeaseLost) {
				lost()
				return
			}
			select {
			case <-again.C:
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		if !timer.Stop() {
			<-ended
		}
	}
}
