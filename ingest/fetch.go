package ingest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of one fetch besides those in Options.
const (
	dialTime       = 10 * time.Second
	maxHeaderBytes = 64 << 10
)

// accept lists what we read best first; */* because many servers know no feed types.
const accept = "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, " +
	"application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.1"

// errand is what one request is sent for.
type errand struct {
	url  string // of the source, or where it has moved to
	full bool   // the document is wanted even when it is unchanged

	trace *feed.Trace // where to write down what happens; nil: nowhere
}

// answer is what a server said to one request. The zero answer: it said nothing.
type answer struct {
	status      int
	header      http.Header
	url         string // where it came from, after redirects
	target      string // the same, when all redirects to it were permanent; else empty
	conditional bool   // the request could be answered by 304
	notModified bool
	body        []byte // decompressed
}

// raw returns the document of an answer.
func (a *answer) raw(received time.Time) parser.Raw {
	return parser.Raw{
		Body:            a.body,
		ContentType:     a.header.Get("Content-Type"),
		ContentLocation: a.header.Get("Content-Location"),
		ContentLanguage: a.header.Get("Content-Language"),
		URL:             a.url,
		Received:        received,
	}
}

// redirectPolicy follows up to most redirects, to the web only, and from https never back to http. Validators go with
// their own URL only; what a person set for the source goes to the source's own host only. No Referer is sent.
func (in *Ingester) redirectPolicy(source *feed.Source, what errand) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		from, most := via[len(via)-1].URL, in.terms().MaxRedirects
		switch {
		case len(via) > most:
			return feed.Failf(feed.FailureRedirectLimit, "more than %d redirects", max(most, 0))
		case req.URL.Scheme != "http" && req.URL.Scheme != "https":
			return feed.Failf(feed.FailureRedirectLimit, "redirect to a %q URL", req.URL.Scheme)
		case req.URL.User != nil:
			return feed.Failf(feed.FailureRedirectLimit, "redirect to a URL with a user name")
		case from.Scheme == "https" && req.URL.Scheme == "http":
			return feed.Failf(feed.FailureRedirectLimit, "redirect from https to unprotected http")
		}
		req.Header.Del("Referer")
		setValidators(req, &source.Poll, what.full)
		in.setOwn(req, source)
		return in.checkBeyondProxy(req)
	}
}

// newRequest is the request of an errand.
func (in *Ingester) newRequest(ctx context.Context, source *feed.Source, what errand) (*http.Request, error) {
	proxy, err := in.proxyOf(source)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(withProxy(ctx, proxy), http.MethodGet, what.url, http.NoBody)
	if err != nil {
		return nil, &feed.Failure{Class: feed.FailureConnect, Reason: "the feed URL cannot be used", Err: err}
	}
	in.setOwn(req, source)
	setValidators(req, &source.Poll, what.full)
	return req, in.checkBeyondProxy(req)
}

// setOwn sets the header fields that are ours, and those of the source where the request goes to its own host. To any
// other host a redirect would have carried them along.
func (in *Ingester) setOwn(req *http.Request, source *feed.Source) {
	own, err := url.Parse(source.URL)
	home := err == nil && own.Host == req.URL.Host
	for name := range source.Request.Headers {
		req.Header.Del(name)
	}
	req.Header.Del("Authorization")
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", in.terms().UserAgent)
	if !home {
		return
	}
	for name, value := range source.Request.Headers {
		req.Header.Set(name, value)
	}
	if source.Request.Username != "" {
		req.SetBasicAuth(source.Request.Username, source.Request.Password)
	}
}

// fetch sends one GET for the source, conditional where that is possible. Errors are of type *feed.Failure; the answer then
// still holds status and header where the server gave them.
func (in *Ingester) fetch(ctx context.Context, source *feed.Source, what errand) (answer, error) {
	timeout := in.terms().Timeout
	if source.Request.Timeout > 0 {
		timeout = source.Request.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := in.newRequest(ctx, source, what)
	if err != nil {
		return answer{}, err
	}
	client := &http.Client{Transport: in.transport, CheckRedirect: in.redirectPolicy(source, what)}
	if what.trace != nil {
		client.Transport = &recorder{in.transport, source, what.trace}
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, fetchError(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written, and what was read is judged already
	got := answer{
		status:      resp.StatusCode,
		header:      resp.Header,
		url:         withoutFragment(resp.Request.URL),
		target:      permanentTarget(resp.Request),
		conditional: isConditional(resp.Request),
	}
	switch {
	case got.status == http.StatusNotModified && got.conditional:
		got.notModified = true
		return got, nil
	case got.status != http.StatusOK:
		return got, statusError(resp.Status, resp.StatusCode)
	case resp.Header.Get("Content-Encoding") != "":
		return got, feed.Failf(feed.FailureNotAFeed, "the server sent content encoding %q, which was not asked for",
			resp.Header.Get("Content-Encoding"))
	}
	got.body, err = io.ReadAll(io.LimitReader(resp.Body, in.terms().MaxBytes+1))
	switch {
	case err != nil:
		return got, fetchError(err)
	case int64(len(got.body)) > in.terms().MaxBytes:
		return got, feed.Failf(feed.FailureTooLarge, "the document has more than %d bytes", in.terms().MaxBytes)
	}
	return got, nil
}

// withoutFragment is a URL as it goes over the wire.
func withoutFragment(u *url.URL) string {
	plain := *u
	plain.Fragment, plain.RawFragment = "", ""
	return plain.String()
}

// statusError is the failure that a status other than 200, or a 304 nobody asked for, means.
func statusError(status string, code int) *feed.Failure {
	class := feed.FailureNotAFeed
	switch {
	case code == http.StatusTooManyRequests:
		class = feed.FailureHTTP429
	case code >= 400 && code < 500:
		class = feed.FailureHTTP4xx
	case code >= 500:
		class = feed.FailureHTTP5xx
	}
	return feed.Failf(class, "the server answered %q instead of a feed", status)
}

// fetchError gives an error of net/http its class.
func fetchError(err error) *feed.Failure {
	if own, ok := errors.AsType[*feed.Failure](err); ok { // of the guard or the redirect policy
		return own
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok { // it repeats method and URL
		err = wrapped.Err
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return &feed.Failure{Class: feed.FailureDNS, Reason: "the host name could not be resolved", Err: dns}
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return &feed.Failure{Class: feed.FailureTimeout, Reason: "the server took too long", Err: err}
	}
	if isTLS(err) {
		return &feed.Failure{Class: feed.FailureTLS, Reason: "no safe connection", Err: err}
	}
	if strings.Contains(err.Error(), "response headers exceeded") { // net/http has no type for it
		return feed.Failf(feed.FailureTooLarge, "the response header has more than %d bytes", maxHeaderBytes)
	}
	return &feed.Failure{Class: feed.FailureConnect, Reason: "the connection failed", Err: err}
}

// isTLS reports whether the encryption is at fault.
func isTLS(err error) bool {
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	return verification || record || alert || authority || strings.Contains(err.Error(), "tls: ")
}
