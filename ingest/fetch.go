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

	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of one fetch besides those in Options.
const (
	dialTime       = 10 * time.Second
	headerTime     = 10 * time.Second // from the request sent to the header read
	maxHeaderBytes = 64 << 10
)

// accept lists what we read best first; */* because many servers know no feed types.
const accept = "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, " +
	"application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.1"

// answer is what a server said to one conditional request. The zero answer: it said nothing.
type answer struct {
	status      int
	header      http.Header
	url         string // where it came from, after redirects
	redirected  bool
	notModified bool
	body        []byte // decompressed
}

// newClient returns the one client of an Ingester. It keeps no cookies, verifies certificates and decompresses gzip
// only. Proxies of the environment are ignored: behind one, the guard would see only the proxy's own address.
func newClient(opts Options) *http.Client {
	dialer := &net.Dialer{Timeout: dialTime, Control: newGuard(opts.AllowNetworks).control}
	return &http.Client{
		CheckRedirect: redirectPolicy(opts.MaxRedirects),
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true, // a DialContext of our own would turn it off
			TLSHandshakeTimeout:    dialTime,
			ResponseHeaderTimeout:  headerTime,
			MaxResponseHeaderBytes: maxHeaderBytes,
			MaxIdleConns:           64,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        time.Minute,
		},
	}
}

// redirectPolicy follows up to most redirects, to the web only, and from https never back to http. Validators belong
// to the source's URL (RFC 9110 section 8.8), so they are not sent to where it redirects; nor is a Referer.
func redirectPolicy(most int) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		from := via[len(via)-1].URL
		switch {
		case len(via) > most:
			return failf(ClassRedirectLimit, "more than %d redirects", max(most, 0))
		case req.URL.Scheme != "http" && req.URL.Scheme != "https":
			return failf(ClassRedirectLimit, "redirect to a %q URL", req.URL.Scheme)
		case req.URL.User != nil:
			return failf(ClassRedirectLimit, "redirect to a URL with a user name")
		case from.Scheme == "https" && req.URL.Scheme == "http":
			return failf(ClassRedirectLimit, "redirect from https to unprotected http")
		}
		req.Header.Del("If-None-Match")
		req.Header.Del("If-Modified-Since")
		req.Header.Del("Referer")
		return nil
	}
}

// fetch sends one conditional GET for the source. Errors are of type *Error; the answer then still holds status and
// header where the server gave them.
func (in *Ingester) fetch(ctx context.Context, source *feed.Source) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, in.opts.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, source.URL, http.NoBody)
	if err != nil {
		return answer{}, &Error{Class: ClassConnect, Reason: "the feed URL cannot be used", Err: err}
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", in.opts.UserAgent)
	if etag := source.Poll.ETag; etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	if modified := source.Poll.LastModified; modified != "" {
		req.Header.Set("If-Modified-Since", modified)
	}
	resp, err := in.client.Do(req)
	if err != nil {
		return answer{}, fetchError(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written, and what was read is judged already
	got := answer{
		status:     resp.StatusCode,
		header:     resp.Header,
		url:        resp.Request.URL.String(),
		redirected: resp.Request.Response != nil,
	}
	conditional := source.Poll.ETag != "" || source.Poll.LastModified != ""
	switch {
	case got.status == http.StatusNotModified && conditional && !got.redirected:
		got.notModified = true
		return got, nil
	case got.status != http.StatusOK:
		return got, statusError(resp.Status, resp.StatusCode)
	case resp.Header.Get("Content-Encoding") != "":
		return got, failf(ClassNotAFeed, "the server sent content encoding %q, which was not asked for",
			resp.Header.Get("Content-Encoding"))
	}
	got.body, err = io.ReadAll(io.LimitReader(resp.Body, in.opts.MaxBytes+1))
	switch {
	case err != nil:
		return got, fetchError(err)
	case int64(len(got.body)) > in.opts.MaxBytes:
		return got, failf(ClassTooLarge, "the document has more than %d bytes", in.opts.MaxBytes)
	}
	return got, nil
}

// statusError is the failure that a status other than 200, or a 304 nobody asked for, means.
func statusError(status string, code int) *Error {
	class := ClassNotAFeed
	switch {
	case code == http.StatusTooManyRequests:
		class = ClassHTTP429
	case code >= 400 && code < 500:
		class = ClassHTTP4xx
	case code >= 500:
		class = ClassHTTP5xx
	}
	return failf(class, "the server answered %q instead of a feed", status)
}

// fetchError gives an error of net/http its class.
func fetchError(err error) *Error {
	if own, ok := errors.AsType[*Error](err); ok { // of the guard or the redirect policy
		return own
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok { // it repeats method and URL
		err = wrapped.Err
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return &Error{Class: ClassDNS, Reason: "the host name could not be resolved", Err: dns}
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return &Error{Class: ClassTimeout, Reason: "the server took too long", Err: err}
	}
	if isTLS(err) {
		return &Error{Class: ClassTLS, Reason: "no safe connection", Err: err}
	}
	if strings.Contains(err.Error(), "response headers exceeded") { // net/http has no type for it
		return failf(ClassTooLarge, "the response header has more than %d bytes", maxHeaderBytes)
	}
	return &Error{Class: ClassConnect, Reason: "the connection failed", Err: err}
}

// isTLS reports whether the encryption is at fault.
func isTLS(err error) bool {
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	return verification || record || alert || authority || strings.Contains(err.Error(), "tls: ")
}
