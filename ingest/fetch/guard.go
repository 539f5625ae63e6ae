package fetch

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

// guard decides which addresses may be dialled. net.Dialer calls control with resolved addresses: a host name could resolve
// to another address after a check.
type guard struct {
	allowed func() []netip.Prefix // current allowed networks
	public  *ssrf.Guardian
}

// metadata is where Azure serves the credentials of a virtual machine. It is not in a special-purpose range.
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

// NewDialer returns a dialer that reaches only public addresses and the networks that allowed returns. It checks resolved
// addresses. A refusal is a *feed.PollError of class blocked_address.
func NewDialer(allowed func() []netip.Prefix) *net.Dialer {
	return &net.Dialer{Timeout: dialTime, Control: newGuard(allowed).control}
}

// control refuses all but public addresses and the allowed networks. On public addresses it also refuses the ports below
// 1024 except 80 and 443, because other servers could misread a request.
func (g *guard) control(network, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &feed.PollError{Class: feed.FailureBlockedAddress, Reason: "address cannot be read", Err: err}
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

// checkHost checks a URL whose host a proxy resolves. It treats an address, and localhost (RFC 6761 section 6.3), as control
// does. It refuses numbers that some programs read as addresses, like 127.1 and 0x7f000001.
func (g *guard) checkHost(u *url.URL) error {
	host := u.Hostname()
	if ascii, err := idna.Lookup.ToASCII(host); err == nil { // the request contains ①②⑦.⓪.⓪.① as 127.0.0.1
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
	case strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"): // no domain ends like this
		return feed.Failf(feed.FailureBlockedAddress, "host %s may be a short form of an address that is not public", host)
	}
	return nil
}
