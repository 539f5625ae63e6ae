package ingest

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
	"golang.org/x/net/idna"

	"github.com/feedwire/feedwire/store/feed"
)

// guard decides which addresses may be dialled. It stands in net.Dialer.Control, where the name is resolved already:
// a check of the host name could be deceived by what the name resolves to a moment later.
type guard struct {
	allowed func() []netip.Prefix // at the moment
	public  *ssrf.Guardian
}

// metadata is where Azure serves the credentials of a virtual machine; it is not in a special-purpose range.
const metadata = "168.63.129.16/32"

func newGuard(allowed func() []netip.Prefix) *guard {
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
		return &feed.Failure{Class: feed.FailureBlockedAddress, Reason: "address cannot be read", Err: err}
	}
	addr := at.Addr().Unmap()
	plain := addr.WithZone("")
	if slices.ContainsFunc(g.allowed(), func(p netip.Prefix) bool { return p.Contains(plain) }) {
		return nil
	}
	if !strings.HasPrefix(network, "tcp") || g.public.SafeAddr(addr) != nil {
		return feed.Failf(feed.FailureBlockedAddress, "address %s is not public and not in fetch.allow_networks", addr)
	}
	if port := at.Port(); port < 1024 && port != 80 && port != 443 {
		return feed.Failf(feed.FailureBlockedAddress, "port %d of %s is not a web server's and %[2]s not in fetch.allow_networks", port, addr)
	}
	return nil
}

// unresolved judges a URL whose host somebody else will resolve: an address in it is judged as control does, and so is
// this machine by its name (RFC 6761 section 6.3). Numbers that only some take for an address, like 127.1 and 0x7f000001,
// are refused.
func (g *guard) unresolved(u *url.URL) error {
	host := u.Hostname()
	if ascii, err := idna.Lookup.ToASCII(host); err == nil { // ①②⑦.⓪.⓪.① is written so into the request
		host = ascii
	}
	host = strings.TrimRight(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		host = "127.0.0.1"
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	_, err := netip.ParseAddr(host)
	switch {
	case err == nil:
		return g.control("tcp", hostPort(&url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(host, u.Port())}), nil)
	case strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"): // no domain ends so
		return feed.Failf(feed.FailureBlockedAddress, "host %s may be a short form of an address that is not public", host)
	}
	return nil
}
