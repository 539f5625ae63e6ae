package fetch

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// newTransport returns the transport of a Client. It verifies certificates, decompresses only gzip, and ignores the proxies
// of the environment. A proxy resolves names and dials addresses itself, so the guard sees the connection to the proxy only,
// and lets it pass if the configuration names the proxy.
// The pool of idle connections has room for all workers at one host, and for the polls of slow servers beside them.
func newTransport(guard *guard, workers int) *http.Transport {
	guarded := &net.Dialer{Timeout: dialTime, Control: guard.control}
	plain := &net.Dialer{Timeout: dialTime}
	return &http.Transport{
		Proxy: func(req *http.Request) (*url.URL, error) { return proxyFrom(req.Context()), nil },
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			proxy := proxyFrom(ctx)
			if proxy != nil && proxy.Fragment == configured && address == hostPort(proxy) {
				return plain.DialContext(ctx, network, address)
			}
			conn, err := guarded.DialContext(ctx, network, address)
			if refusal, ok := errors.AsType[*feed.PollError](err); ok && proxy != nil {
				err = feed.Failf(refusal.Class, "the proxy of the source is refused: %s; only the configuration file may name a proxy there",
					refusal.Reason)
			}
			return conn, err
		},
		ForceAttemptHTTP2:      true, // DialContext disables it otherwise
		TLSHandshakeTimeout:    dialTime,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           4 * workers,
		MaxIdleConnsPerHost:    workers,
		IdleConnTimeout:        time.Minute,
	}
}

// proxyKey is the key of the proxy in the context of a request.
type proxyKey struct{}

// proxyFrom returns the proxy for a request. nil: none.
func proxyFrom(ctx context.Context) *url.URL {
	proxy, _ := ctx.Value(proxyKey{}).(*url.URL)
	return proxy
}

// configured is the fragment of proxies that the configuration names. A fragment is never sent. net/http keeps one pool of
// connections for each proxy URL, so no other source gets a connection that was dialled without the guard, not even one
// that was opened before a reload.
const configured = "configured"

// proxyOf returns the proxy for a source. nil: none.
func (c *Client) proxyOf(source *feed.Source) (*url.URL, error) {
	opts := c.opts.Load()
	name := cmp.Or(source.Request.Proxy, opts.Proxy, "direct")
	if name == "direct" {
		return nil, nil //nolint:nilnil // as in net/http
	}
	proxy, err := url.Parse(name)
	if err != nil || feed.CheckProxy(name) != nil { // the errors are dropped, because the URL may hold a password
		return nil, feed.Failf(feed.FailureConnect, "the proxy of the source is not a valid proxy URL")
	}
	proxy.Fragment, proxy.RawFragment = "", ""
	if name == opts.Proxy || slices.Contains(opts.Proxies, name) {
		proxy.Fragment = configured
	}
	return proxy, nil
}

// hostPort returns the dialled address of a URL as net/http spells it.
func hostPort(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme])
	return net.JoinHostPort(u.Hostname(), port)
}
