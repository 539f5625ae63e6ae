package hub

import (
	"context"
	"net/http"
	"net/netip"
	"time"
)

// Poll starts what is due now, waits until it is done, and returns the time until the next poll.
func (f *Front) Poll(ctx context.Context) (time.Duration, error) {
	pause, err := f.poll(ctx)
	f.work.Wait()
	return pause, err
}

// ClientOf is clientOf.
func ClientOf(r *http.Request) string { return clientOf(r, func(netip.Addr) bool { return false }) }
