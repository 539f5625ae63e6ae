package fetch

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// newTransport returns the transport of a Client. It verifies certificates, decompresses only gzip, and ignores the proxies
// of the environment. A proxy resolves names and dials addresses itself, so the guard only lets the connection to it pass.
// The pool of idle connections has room for all workers at one host, and for the polls of slow servers beside them.
func newTransport(guard *guard, workers int) *http.Transport {
	guarded := &net.Dialer{Timeout: dialTime, Control: guard.control}
	plain := &net.Dialer{Timeout: dialTime}
	return &http.Transport{
		Proxy: func(req *http.Request) (*url.URL, error) { return proxyFrom(req.Context()), nil },
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if proxy := proxyFrom(ctx); proxy != nil && address == hostPort(proxy) {
				return plain.DialContext(ctx, network, address)
			}
			return guarded.DialContext(ctx, network, address)
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

// proxyOf returns the proxy for a source. nil: none.
func (c *Client) proxyOf(source *feed.Source) (*url.URL, error) {
	name := cmp.Or(source.Request.Proxy, c.opts.Load().Proxy, "direct")
	if name == "direct" {
		return nil, nil //nolint:nilnil // as in net/http
	}
	proxy, err := url.Parse(name)
	if err != nil || feed.CheckProxy(name) != nil { // the errors are dropped, because the URL may hold a password
		return nil, feed.Failf(feed.FailureConnect, "the proxy of the source is not a valid proxy URL")
	}
	return proxy, nil
}

// hostPort returns the dialled address of a URL as net/http spells it.
func hostPort(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme])
	return net.JoinHostPort(u.Hostname(), port)
}
