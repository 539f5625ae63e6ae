package feed

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// PeerAddress returns the address at the other end of the connection of a request; zero if it is unknown.
func PeerAddress(r *http.Request) netip.Addr {
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	return peer.Addr().Unmap().WithZone("")
}

// ClientAddress returns the address of the client of a request: that of the peer or, as long as that is a trusted proxy, the one
// before it in X-Forwarded-For.
func ClientAddress(r *http.Request, isProxy func(netip.Addr) bool) netip.Addr {
	ip := PeerAddress(r)
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, text := range slices.Backward(forwarded) {
		before, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil || !isProxy(ip) {
			break
		}
		ip = before.Unmap().WithZone("")
	}
	return ip
}

// ClientNetwork returns the part of an address by which clients are limited and recognised: an IPv6 /64 belongs to one customer.
// An IPv4 address has one form, however it is written.
func ClientNetwork(ip netip.Addr) string {
	ip = ip.Unmap().WithZone("")
	if ip.Is6() {
		ip = netip.PrefixFrom(ip, 64).Masked().Addr()
	}
	return ip.String()
}
