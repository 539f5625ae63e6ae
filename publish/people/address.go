package people

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// isProxy reports whether a trusted proxy has this address.
func (a *Access) isProxy(ip netip.Addr) bool {
	return slices.ContainsFunc(a.ProxyNetworks, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// remote returns the address at the other end of the connection.
func remote(r *http.Request) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip, _ := netip.ParseAddr(host) // the zero address is in no network
	return ip.Unmap().WithZone("")
}

// client returns the address of the client: the last one of X-Forwarded-For that is not a trusted proxy.
func (p *People) client(r *http.Request) netip.Addr {
	ip := remote(r)
	access := p.access.Load()
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, s := range slices.Backward(forwarded) {
		if !access.isProxy(ip) {
			break
		}
		before, err := netip.ParseAddr(strings.TrimSpace(s))
		if err != nil {
			break
		}
		ip = before.Unmap().WithZone("")
	}
	return ip
}

// network returns the part of an address by which sign-ins are throttled: an IPv6 /64 belongs to one customer.
func network(ip netip.Addr) string {
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			return p.Addr().String()
		}
	}
	return ip.String()
}

// Address returns the client address of a request for people.
func (p *People) Address(r *http.Request) string {
	if ip := p.client(r); ip.IsValid() {
		return ip.String()
	}
	return fmt.Sprintf("%.64s", r.RemoteAddr)
}
