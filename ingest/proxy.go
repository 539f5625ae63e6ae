package ingest

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// direct is the proxy of a source that is to go without.
const direct = "direct"

// newTransport returns the one transport of an Ingester. It keeps no cookies, verifies certificates and decompresses
// gzip only. Proxies of the environment are ignored; one that the configuration names resolves names and reaches
// addresses in our place, so that the guard only lets the way to it pass. Connections that are idle are kept as many as
// the workers and the slow pool may need, and for one host, where polls are not spaced, as many as there are workers.
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
		ForceAttemptHTTP2:      true, // a DialContext of our own would turn it off
		TLSHandshakeTimeout:    dialTime,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           slowPerWorker * workers,
		MaxIdleConnsPerHost:    workers,
		IdleConnTimeout:        time.Minute,
	}
}

type proxyKey struct{}

// withProxy makes requests of the context go through a proxy; nil: none.
func withProxy(ctx context.Context, proxy *url.URL) context.Context {
	return context.WithValue(ctx, proxyKey{}, proxy)
}

func proxyFrom(ctx context.Context) *url.URL {
	proxy, _ := ctx.Value(proxyKey{}).(*url.URL)
	return proxy
}

// proxyOf is the proxy for a source; nil: none.
func (in *Ingester) proxyOf(source *feed.Source) (*url.URL, error) {
	name := source.Request.Proxy
	if name == "" {
		name = in.terms().Proxy
	}
	if name == "" || name == direct {
		return nil, nil //nolint:nilnil // no proxy is what net/http means by it, too
	}
	proxy, err := url.Parse(name)
	if err != nil || feed.CheckProxy(name) != nil { // neither repeats it: it may hold a password
		return nil, feed.Failf(feed.FailureConnect, "the proxy of the source is not a URL that proxies have")
	}
	return proxy, nil
}

// hostPort is where a URL is dialled, as net/http spells it.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// checkBeyondProxy refuses what can be seen to be private before a proxy is asked for it. What names stand for only the
// proxy knows.
func (in *Ingester) checkBeyondProxy(req *http.Request) error {
	if proxyFrom(req.Context()) == nil {
		return nil
	}
	return in.guard.unresolved(req.URL)
}
