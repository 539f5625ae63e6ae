package ingest

import (
	"net"
	"net/netip"
)

// NewDialer returns a dialer that reaches public addresses and the networks allowed at that moment, and nothing else: it
// looks at the address to which a name has been resolved. A refusal is an *feed.Failure of class feed.FailureBlockedAddress.
func NewDialer(allowed func() []netip.Prefix) *net.Dialer {
	return &net.Dialer{Timeout: dialTime, Control: newGuard(allowed).control}
}
