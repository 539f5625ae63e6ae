// Package fetch sends requests for documents of sources: guarded, bounded, and conditional where possible.
//
// A Client dials only public addresses and allowed networks, because sources and their redirects could point at internal
// servers. It keeps no cookies and sends what a person set for a source to the host of the source only.
package fetch

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Options are the settings of a Client. The zero value works.
type Options struct {
	Timeout       time.Duration  // of one document, from the first byte sent to the last received; default 30 s
	MaxBytes      int64          // of a document, after decompression; default 8 MiB
	MaxRedirects  int            // of one document; default 5, negative: none
	AllowNetworks []netip.Prefix // private networks that may be dialled; default: none
	UserAgent     string         // default "feedwire (+https://github.com/feedwire/feedwire)"
	Proxy         string         // URL of the HTTP or SOCKS5 proxy for sources without a proxy setting; default: none
	Proxies       []string       // of sources in the configuration; only these and Proxy may be in any network
}

func (o Options) withDefaults() *Options {
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 8 << 20
	}
	o.MaxRedirects = max(0, cmp.Or(o.MaxRedirects, 5))
	o.UserAgent = cmp.Or(o.UserAgent, "feedwire (+https://github.com/feedwire/feedwire)")
	return &o
}

// Bounds besides those in Options.
const (
	dialTime       = 10 * time.Second
	maxHeaderBytes = 64 << 10
	formTime       = 15 * time.Second // of a form, redirects included, unless the source has a timeout
	maxFormAnswer  = 512              // bytes of the response to a form
	maxFormHops    = 5
)

// accept lists the media types that the parser reads, and */* because many servers know no feed types.
const accept = "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, " +
	"application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.1"

// Client sends requests. It is safe for concurrent use.
type Client struct {
	Transport http.RoundTripper // guarded; New sets it

	opts  atomic.Pointer[Options]
	guard *guard
}

// New returns a Client that retains idle connections for up to workers concurrent requests.
func New(opts Options, workers int) *Client {
	c := &Client{}
	c.opts.Store(opts.withDefaults())
	c.guard = newGuard(func() []netip.Prefix { return c.opts.Load().AllowNetworks })
	c.Transport = newTransport(c.guard, workers)
	return c
}

// Reload replaces the options for new requests.
func (c *Client) Reload(opts Options) {
	c.opts.Store(opts.withDefaults())
	c.CloseIdleConnections() // one may lead to an address that is no longer allowed
}

// CloseIdleConnections closes the connections that serve no request.
func (c *Client) CloseIdleConnections() {
	(&http.Client{Transport: c.Transport}).CloseIdleConnections()
}

// MaxBytes returns the bound of a document.
func (c *Client) MaxBytes() int64 { return c.opts.Load().MaxBytes }

// Request is a request for the document of a source.
type Request struct {
	URL   string      // of the source, or the target of its permanent redirect
	Full  bool        // unconditional
	Trace *feed.Trace // records requests and responses; nil disables it

	Received func(bytes int) // called as the document arrives; nil disables it
}

// Response is the response to a request. The zero Response means that the server did not respond.
type Response struct {
	Status      int
	Header      http.Header
	URL         string // after redirects
	Target      string // URL, if all redirects to it were permanent; otherwise empty
	Conditional bool   // the request had validators
	NotModified bool
	Body        []byte // decompressed
}

// Get requests the document of a source, conditionally if its validators belong to the URL. Errors are of type
// *feed.PollError. The Response then still has the status and the header if the server sent them.
func (c *Client) Get(ctx context.Context, source *feed.Source, r Request) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(source.Request.Timeout, c.opts.Load().Timeout))
	defer cancel()
	got, err := c.send(ctx, source, r.Trace, http.MethodGet, r.URL, "", func(req *http.Request, via []*http.Request) error {
		c.setHeader(req, source)
		setValidators(req, &source.Poll, r.Full)
		return c.checkRedirect(req, via)
	}, func(resp *http.Response) (Response, error) { return c.receive(resp, r.Received) })
	refused := got.Status == http.StatusUnauthorized || got.Status == http.StatusForbidden
	if refused && source.Private() && !isHome(got.URL, source) {
		err = &feed.PollError{Class: feed.ClassOf(err), Err: err, Reason: fmt.Sprintf(
			"password and header fields were entered for %s and not sent to %s", source.SecretsOrigin(), feed.Origin(got.URL))}
	}
	return got, err
}

// PostForm posts a form to a hub of a source. It follows only redirects that repeat the POST and stay at the server, because forms
// contain secrets. The proxy and the timeout of the source apply. Errors are of type *feed.PollError, of the
// class redirect_limit for such a redirect. The Body of the Response has at most 512 bytes.
func (c *Client) PostForm(ctx context.Context, source *feed.Source, hub string, form url.Values) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(source.Request.Timeout, formTime))
	defer cancel()
	return c.send(ctx, source, nil, http.MethodPost, hub, form.Encode(), func(req *http.Request, via []*http.Request) error {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("User-Agent", c.opts.Load().UserAgent)
		return checkFormRedirect(req, via)
	}, func(resp *http.Response) (Response, error) {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, maxFormAnswer))
		return Response{Status: resp.StatusCode, Header: resp.Header, Body: said}, nil
	})
}

// send sends a request through the proxy of a source and passes the response to receive. prepare completes the request and
// each redirected one, and may refuse a redirect; via is empty for the first request.
func (c *Client) send(
	ctx context.Context, source *feed.Source, trace *feed.Trace, method, target, body string,
	prepare func(req *http.Request, via []*http.Request) error, receive func(*http.Response) (Response, error),
) (Response, error) {
	proxy, err := c.proxyOf(source)
	if err != nil {
		return Response{}, err
	}
	check := func(req *http.Request, via []*http.Request) error {
		if err := prepare(req, via); err != nil || proxy == nil {
			return err
		}
		return c.guard.checkHost(req.URL)
	}
	req, err := http.NewRequestWithContext(context.WithValue(ctx, proxyKey{}, proxy), method, target, strings.NewReader(body))
	if err != nil {
		return Response{}, &feed.PollError{Class: feed.FailureConnect, Reason: "the URL cannot be used", Err: err}
	}
	if err := check(req, nil); err != nil {
		return Response{}, err
	}
	client := &http.Client{Transport: c.Transport, CheckRedirect: check}
	if trace != nil {
		client.Transport = &recorder{c.Transport, source, trace}
	}
	resp, err := client.Do(req)
	if err != nil {
		return Response{}, failureOf(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	return receive(resp)
}

// receive reads a document. received may be nil.
func (c *Client) receive(resp *http.Response, received func(bytes int)) (Response, error) {
	sent := resp.Request.Header
	got := Response{
		Status:      resp.StatusCode,
		Header:      resp.Header,
		URL:         withoutFragment(resp.Request.URL),
		Target:      permanentTarget(resp.Request),
		Conditional: sent.Get("If-None-Match") != "" || sent.Get("If-Modified-Since") != "",
	}
	most, coding := c.MaxBytes(), resp.Header.Get("Content-Encoding")
	switch {
	case got.Status == http.StatusNotModified && got.Conditional:
		got.NotModified = true
		return got, nil
	case got.Status != http.StatusOK && got.Status != http.StatusNonAuthoritativeInfo: // a proxy has changed that document
		return got, statusFailure(resp.Status, resp.StatusCode)
	case coding != "":
		return got, feed.Failf(feed.FailureNotAFeed, "the server sent the content encoding %q, which the request does not accept", coding)
	}
	body := io.LimitReader(resp.Body, most+1)
	if received != nil {
		body = &counter{body, received}
	}
	var err error
	got.Body, err = io.ReadAll(body)
	switch {
	case err != nil:
		return got, failureOf(err)
	case int64(len(got.Body)) > most:
		return got, feed.Failf(feed.FailureTooLarge, "the document has more than %d bytes", most)
	}
	return got, nil
}

// counter reports the bytes that are read.
type counter struct {
	io.Reader
	received func(bytes int)
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.received(n)
	return n, err
}

// setHeader sets the header fields of feedwire, and those of the source if the request goes to the scheme, host and port for
// which a person entered them. A redirect copies them to any host otherwise.
func (c *Client) setHeader(req *http.Request, source *feed.Source) {
	for name := range source.Request.Headers {
		req.Header.Del(name)
	}
	req.Header.Del("Authorization")
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", c.opts.Load().UserAgent)
	if len(source.Request.Headers) == 0 && source.Request.Username == "" || !isHome(req.URL.String(), source) {
		return
	}
	for name, value := range source.Request.Headers {
		req.Header.Set(name, value)
	}
	if source.Request.Username != "" {
		req.SetBasicAuth(source.Request.Username, source.Request.Password)
	}
}

// isHome reports whether a URL has the scheme, host and port for which the secrets of the source were entered.
func isHome(u string, source *feed.Source) bool { return feed.Origin(u) == source.SecretsOrigin() }

// withoutFragment returns a URL as requests send it.
func withoutFragment(u *url.URL) string {
	plain := *u
	plain.Fragment, plain.RawFragment = "", ""
	return plain.String()
}
