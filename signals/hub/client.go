package hub

import (
	"net/http"
	"net/netip"

	"github.com/feedwire/feedwire/store/feed"
)

// clientOf returns the client that Limits.PerClient applies to, by its network. It trusts X-Forwarded-For of trusted proxies, and its
// last address from a peer on this machine or in a private network. It returns "" for other clients on this machine, which have no
// limit.
func clientOf(r *http.Request, isProxy func(netip.Addr) bool) string {
	peer := feed.PeerAddress(r)
	ip := feed.ClientAddress(r, func(a netip.Addr) bool { return isProxy(a) || a == peer && (a.IsLoopback() || a.IsPrivate()) })
	switch {
	case !ip.IsValid():
		return r.RemoteAddr
	case ip.IsLoopback():
		return ""
	}
	return feed.ClientNetwork(ip)
}
