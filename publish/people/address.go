package people

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// isProxy reports whether a trusted proxy has this address.
func (a *Access) isProxy(ip netip.Addr) bool {
	return slices.ContainsFunc(a.ProxyNetworks, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// IsProxy reports whether a trusted proxy has this address.
func (p *People) IsProxy(ip netip.Addr) bool { return p.access.Load().isProxy(ip) }

// client returns the address of the client.
func (p *People) client(r *http.Request) netip.Addr {
	return feed.ClientAddress(r, p.access.Load().isProxy)
}

// Address returns the client address of a request for people.
func (p *People) Address(r *http.Request) string {
	if ip := p.client(r); ip.IsValid() {
		return ip.String()
	}
	return fmt.Sprintf("%.64s", r.RemoteAddr)
}
