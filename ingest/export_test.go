package ingest

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// For tests of the package's parts from outside.
var (
	ParseDate  = parseDate
	NotBefore  = notBefore
	RetryAfter = retryAfter
	Explain    = explain
	PlainText  = plainText
)

// Prescan runs the scan that stands before the parser.
func Prescan(body []byte, limits Limits) error {
	text, err := normalise(Raw{Body: body})
	if err != nil {
		return err
	}
	scan := prescanXML
	if text[0] == '{' {
		scan = prescanJSON
	}
	_, _, err = scan(text, &url.URL{}, limits)
	return err
}

// Dial asks the guard whether an address may be dialled.
func Dial(allowed []netip.Prefix, network, address string) error {
	return newGuard(allowed).control(network, address, nil)
}

// Resolve makes the links of content absolute.
func Resolve(base, content string) string {
	u, _ := url.Parse(base)
	return resolveContent(u, content)
}

// SetTransport replaces the network.
func (in *Ingester) SetTransport(t http.RoundTripper) { in.client.Transport = t }

// SetJitter fixes the spread of waiting times.
func (in *Ingester) SetJitter(j float64) { in.jitter = func() float64 { return j } }

// Transport returns the network, for its TLS settings.
func (in *Ingester) Transport() *http.Transport { return in.client.Transport.(*http.Transport) }

// SettleAtStop is how long a poll may go on after the daemon was told to stop.
const SettleAtStop time.Duration = settleAtStop

// PollDue polls what is due, one after the other, and tells how many sources that were.
func (in *Ingester) PollDue(ctx context.Context) (int, error) {
	claims, err := in.store.ClaimSources(ctx, in.opts.Workers, in.opts.Lease)
	for _, claim := range claims {
		in.poll(ctx, claim)
	}
	return len(claims), err
}

// Turn does what is due about subscriptions, and tells how many those were and how long there is nothing else to do.
func (s *Subscriber) Turn(ctx context.Context) (int, time.Duration, error) { return s.turn(ctx) }
