package hub

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Poll starts what is due now, waits until it is done, and returns the time until the next poll.
func (f *Front) Poll(ctx context.Context) (time.Duration, error) {
	pause, err := f.poll(ctx)
	f.work.Wait()
	return pause, err
}

// ClientOf is clientOf.
func ClientOf(r *http.Request) string { return clientOf(r, func(netip.Addr) bool { return false }) }

// Pacer is pacer.
type Pacer = pacer

// NewPacer is newPacer.
func NewPacer(r Rate) *Pacer { return newPacer(r) }

// Wait is wait.
func (p *pacer) Wait(key string, now time.Time) time.Duration { return p.wait(key, now) }

// Book is book.
func (p *pacer) Book(key string, now time.Time) time.Time { return p.book(key, now) }

// Keys returns the number of keys.
func (p *pacer) Keys() int { return len(p.idle) }

// CheckOpen checks an open topic that is claimed.
func (c *Catalog) CheckOpen(ctx context.Context, t feed.OpenTopic) { c.checkOpen(ctx, t) }
