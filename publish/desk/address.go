package desk

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// isProxy reports whether an address is that of a proxy which tells the truth.
func (d *Desk) isProxy(ip netip.Addr) bool {
	return slices.ContainsFunc(d.opts.SignIn.ProxyNetworks, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// remote is the address at the other end of the connection.
func remote(r *http.Request) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip, _ := netip.ParseAddr(host) // the zero address is in no network
	return ip.Unmap().WithZone("")
}

// client is the address that a request comes from: of X-Forwarded-For the last one that is no proxy of ours.
func (d *Desk) client(r *http.Request) netip.Addr {
	ip := remote(r)
	said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, s := range slices.Backward(said) {
		if !d.isProxy(ip) {
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

// network is what of an address counts as one place: an IPv6 network of 64 bits belongs to one customer.
func network(ip netip.Addr) string {
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			return p.Addr().String()
		}
	}
	return ip.String()
}

// address is client, for people.
func (d *Desk) address(r *http.Request) string {
	if ip := d.client(r); ip.IsValid() {
		return ip.String()
	}
	return fmt.Sprintf("%.64s", r.RemoteAddr)
}
