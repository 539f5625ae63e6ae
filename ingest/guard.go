package ingest

import (
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// guard decides which addresses may be dialled. It stands in net.Dialer.Control, where the name is resolved already:
// a check of the host name could be deceived by what the name resolves to a moment later.
type guard struct {
	allowed []netip.Prefix
	public  *ssrf.Guardian
}

// metadata is where Azure serves the credentials of a virtual machine; it is not in a special-purpose range.
const metadata = "168.63.129.16/32"

func newGuard(allowed []netip.Prefix) *guard {
	return &guard{
		allowed: allowed,
		public: ssrf.New(
			ssrf.WithAnyPort(), // see control
			ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix(metadata)),
		),
	}
}

// control refuses all but public addresses and the allowed networks. On public addresses it also refuses the ports
// below 1024 that are not the web's, where a request could be taken for something else. Refusals are of class
// blocked_address.
func (g *guard) control(network, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Error{Class: ClassBlockedAddress, Reason: "address cannot be read", Err: err}
	}
	addr := at.Addr().Unmap()
	plain := addr.WithZone("")
	if slices.ContainsFunc(g.allowed, func(p netip.Prefix) bool { return p.Contains(plain) }) {
		return nil
	}
	if !strings.HasPrefix(network, "tcp") || g.public.SafeAddr(addr) != nil {
		return failf(ClassBlockedAddress, "address %s is not public and not in fetch.allow_networks", addr)
	}
	if port := at.Port(); port < 1024 && port != 80 && port != 443 {
		return failf(ClassBlockedAddress, "port %d of %s is not a web server's and %[2]s not in fetch.allow_networks", port, addr)
	}
	return nil
}
