package hub

import (
	"net/http"
	"net/netip"
	"strings"
)

// clientAddress returns the address of a client, or its /64 network for IPv6, because one line has that many addresses. It
// trusts the X-Forwarded-For of a proxy on this machine or in a private network. It returns "" for other clients on this
// machine.
func clientAddress(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	addr := peer.Addr().Unmap()
	if addr.IsLoopback() || addr.IsPrivate() {
		client, err := forwardedFor(r.Header)
		switch {
		case err == nil:
			addr = client
		case addr.IsLoopback():
			return ""
		}
	}
	if addr.Is4() {
		return addr.String()
	}
	network, _ := addr.WithZone("").Prefix(64) // cannot fail for IPv6
	return network.String()
}

// forwardedFor returns the last address of X-Forwarded-For, the one that the nearest proxy has added.
func forwardedFor(header http.Header) (netip.Addr, error) {
	all := strings.Join(header.Values("X-Forwarded-For"), ",")
	addr, err := netip.ParseAddr(strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:]))
	return addr.Unmap(), err
}
