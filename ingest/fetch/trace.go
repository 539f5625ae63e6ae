package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// tracedFields returns the header fields of a response that decide about polls.
func tracedFields() []string {
	return []string{
		"Etag", "Last-Modified", "Cache-Control", "Expires", "Age", "Date", "Retry-After", "Location", "Content-Type",
		"Content-Length", "Content-Encoding", "Server", "Link", "Www-Authenticate",
	}
}

// recorder is a transport that records each request and its response in a trace.
type recorder struct {
	next   http.RoundTripper
	source *feed.Source
	trace  *feed.Trace
}

// RoundTrip sends the request and records it.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	c := connection{request: feed.TraceRequest{URL: req.URL.Redacted(), Sent: r.sent(req), Unsent: true, Got: map[string]string{}}}
	if proxy := proxyFrom(req.Context()); proxy != nil {
		shown := *proxy
		shown.Fragment = ""
		c.request.Proxy = shown.Redacted()
	}
	begun := time.Now()
	resp, err := r.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), c.hooks())))
	entry := c.copied()
	defer func() { r.trace.Requests = append(r.trace.Requests, entry) }()
	entry.FirstByte = time.Since(begun).Milliseconds()
	if err != nil {
		entry.Error = withoutAddress(err)
		return nil, err
	}
	entry.Status = feed.ShortLine(resp.Status)
	if entry.Encoding = resp.Header.Get("Content-Encoding"); resp.Uncompressed {
		entry.Encoding = "gzip"
	}
	for _, name := range tracedFields() {
		if value := resp.Header.Get(name); value != "" {
			entry.Got[name] = feed.ShortLine(value)
		}
	}
	return resp, nil
}

// sent returns the header of a request without its secrets.
func (r *recorder) sent(req *http.Request) map[string]string {
	secret := map[string]bool{"Authorization": true}
	for name := range r.source.Request.Headers {
		secret[http.CanonicalHeaderKey(name)] = true
	}
	fields := make(map[string]string, len(req.Header))
	for name := range req.Header {
		if fields[name] = req.Header.Get(name); secret[name] {
			fields[name] = "(hidden)"
		}
	}
	return fields
}

// connection records how a request was sent. Its hooks may run concurrently and after the end of the request.
type connection struct {
	mu      sync.Mutex // guards request
	request feed.TraceRequest
}

func (c *connection) hooks() *httptrace.ClientTrace {
	locked := func(f func()) {
		c.mu.Lock()
		defer c.mu.Unlock()
		f()
	}
	return &httptrace.ClientTrace{
		DNSDone: func(info httptrace.DNSDoneInfo) {
			locked(func() {
				for _, a := range info.Addrs {
					c.request.Addresses = append(c.request.Addresses, feed.TraceAddress{Address: a.String(), Verdict: "not tried"})
				}
			})
		},
		ConnectDone: func(_, address string, err error) {
			verdict := "connected"
			if err != nil {
				verdict = withoutAddress(err)
			}
			locked(func() { c.tried(address, verdict) })
		},
		GotConn: func(info httptrace.GotConnInfo) {
			locked(func() {
				if c.request.Reused = info.Reused; info.Reused {
					c.request.Addresses = []feed.TraceAddress{{Address: info.Conn.RemoteAddr().String(), Verdict: "connected before"}}
				}
				if conn, ok := info.Conn.(*tls.Conn); ok {
					c.request.TLS = describeTLS(conn.ConnectionState())
				}
			})
		},
		WroteHeaders: func() { locked(func() { c.request.Unsent = false }) },
		TLSHandshakeDone: func(state tls.ConnectionState, err error) {
			locked(func() {
				if c.request.TLS = describeTLS(state); err != nil {
					c.request.TLS = "nothing: the handshake failed"
				}
			})
		},
	}
}

// tried sets the verdict on an address, host:port.
func (c *connection) tried(address, verdict string) {
	host, _, _ := net.SplitHostPort(address)
	result := feed.TraceAddress{Address: address, Verdict: verdict}
	all := &c.request.Addresses
	if i := slices.IndexFunc(*all, func(a feed.TraceAddress) bool { return a.Address == host }); i >= 0 {
		(*all)[i] = result
		return
	}
	*all = append(*all, result)
}

// copied returns the request as it is now.
func (c *connection) copied() feed.TraceRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	request := c.request
	request.Addresses = slices.Clone(request.Addresses)
	return request
}

// withoutAddress returns why a request or a dial failed, without the addresses that the trace lists beside it.
func withoutAddress(err error) string {
	if own, ok := errors.AsType[*feed.PollError](err); ok {
		return own.Error()
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return "no answer in time"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return feed.ShortLine(err.Error())
}

// describeTLS returns the version of TLS and the subject, issuer and end of the certificate.
func describeTLS(state tls.ConnectionState) string {
	text := tls.VersionName(state.Version)
	if len(state.PeerCertificates) > 0 {
		leaf := state.PeerCertificates[0]
		text += fmt.Sprintf(", certificate for %s by %s until %s", strings.Join(leaf.DNSNames, " "), leaf.Issuer.CommonName,
			leaf.NotAfter.UTC().Format(time.DateOnly))
	}
	return feed.ShortLine(text)
}
