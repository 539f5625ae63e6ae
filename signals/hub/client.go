package hub

import (
	"net/http"
	"net/netip"

	"github.com/feedwire/feedwire/store/feed"
)

// clientOf returns the client that Limits.PerClient applies to, as networkOf does, but "" for clients on this machine, which have no
// limit.
func clientOf(r *http.Request, isProxy func(netip.Addr) bool) string {
	if addressOf(r, isProxy).IsLoopback() {
		return ""
	}
	return networkOf(r, isProxy)
}

// networkOf returns the client of a request by its network.
func networkOf(r *http.Request, isProxy func(netip.Addr) bool) string {
	ip := addressOf(r, isProxy)
	if !ip.IsValid() {
		return r.RemoteAddr
	}
	return feed.ClientNetwork(ip)
}

// addressOf trusts X-Forwarded-For of trusted proxies, and its last address from a peer on this machine or in a private network.
func addressOf(r *http.Request, isProxy func(netip.Addr) bool) netip.Addr {
	peer := feed.PeerAddress(r)
	return feed.ClientAddress(r, func(a netip.Addr) bool { return isProxy(a) || a == peer && (a.IsLoopback() || a.IsPrivate()) })
}
