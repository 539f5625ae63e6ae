package ingest

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// For tests of the package's parts from outside.
var (
	Explained      = explained
	ClearedSecrets = clearedSecrets
)

// SetTransport replaces the network.
func (in *Ingester) SetTransport(t http.RoundTripper) { in.client.Transport = t }

// SetJitter fixes the spread of waiting times.
func (in *Ingester) SetJitter(j float64) { in.jitter = func() float64 { return j } }

// Transport returns the network, for its TLS settings.
func (in *Ingester) Transport() *http.Transport { return in.client.Transport.(*http.Transport) }

// SettleAtStop is how long a poll may go on after the daemon was told to stop.
const SettleAtStop time.Duration = settleAtStop

// PageCandidates are the feeds that a page names.
func PageCandidates(body []byte, contentType, page string) []feed.Candidate {
	base, _ := url.Parse(page)
	return distinct(pageCandidates(body, contentType, base))
}

// PollDue polls what is due, one after the other, and tells how many sources that were.
func (in *Ingester) PollDue(ctx context.Context) (int, error) {
	claims, err := in.store.ClaimSources(ctx, in.opts.Workers, in.opts.Lease)
	for _, claim := range claims {
		in.poll(ctx, ctx, &claim, nil)
	}
	return len(claims), err
}

// Turn does what is due about subscriptions, all at once, and tells how many those were.
func (s *Subscriber) Turn(ctx context.Context) (int, error) {
	due, _, err := s.store.ClaimCallbacks(ctx, requestsMost, requestLease)
	var work sync.WaitGroup
	for _, c := range due {
		work.Go(func() { s.step(ctx, c) })
	}
	work.Wait()
	return len(due), err
}
