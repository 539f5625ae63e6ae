// Package limits bounds what clients can make an HTTP server hold at once: connections, and the memory of request headers
// and bodies, in total and for each client.
//
//	l := limits.New(limits.Options{})
//	server := &http.Server{Handler: l.Handler(mux), ConnContext: l.ConnContext}
//	server.Serve(l.Listener(listener))
//
// The listener must be the innermost one, so that a connection counts until it is really closed.
package limits

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store/feed"
)

// Options has a useful zero value.
type Options struct {
	Connections int   // open at once; 0: 2048
	PerClient   int   // open at once from one address, IPv6 from one /64; 0: an eighth of Connections
	Bytes       int64 // memory of request headers and bodies; 0: 32 MiB

	Trusted    func(netip.Addr) bool                                 // a trusted proxy, whose connections belong to many clients; nil: none
	Refuse     func(w http.ResponseWriter, r *http.Request, e error) // answers a request whose body found no memory; nil: 503 in plain text
	Registerer prometheus.Registerer                                 // nil: metrics are not registered
}

// Limits is shared by the listeners of a daemon. It is safe for concurrent use. Create it with New.
type Limits struct {
	opts    Options
	metrics *metrics
	memory  *budget

	mu      sync.Mutex // guards the open connections
	open    int
	clients map[string]*client
}

// New returns Limits.
func New(opts Options) *Limits {
	opts.Connections, opts.Bytes = cmp.Or(opts.Connections, 2048), cmp.Or(opts.Bytes, 32<<20)
	opts.PerClient = cmp.Or(opts.PerClient, max(opts.Connections/8, 1))
	if opts.Trusted == nil {
		opts.Trusted = func(netip.Addr) bool { return false }
	}
	if opts.Refuse == nil {
		opts.Refuse = func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	}
	l := &Limits{opts: opts, memory: newBudget(opts.Bytes), clients: make(map[string]*client)}
	l.metrics = newMetrics(opts.Registerer, l)
	return l
}

// ErrFull means that the memory for requests is in use.
var ErrFull = errors.New("too many large requests are under way; send this one again in a few seconds")

// clientOf returns the client of a request: the network that the request comes from.
func (l *Limits) clientOf(r *http.Request) string {
	return feed.ClientNetwork(feed.ClientAddress(r, l.opts.Trusted))
}

// peerOf returns the client of a connection, or "" for a trusted proxy, whose requests belong to many clients.
func (l *Limits) peerOf(c net.Conn) string {
	peer, _ := netip.ParseAddrPort(c.RemoteAddr().String())
	ip := peer.Addr().Unmap().WithZone("")
	if !ip.IsValid() || l.opts.Trusted(ip) {
		return ""
	}
	return feed.ClientNetwork(ip)
}
