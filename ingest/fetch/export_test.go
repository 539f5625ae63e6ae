package fetch

import (
	"net/netip"
	"net/url"
)

// Dial returns the guard's verdict on dialling an address.
func Dial(allowed []netip.Prefix, network, address string) error {
	return newGuard(func() []netip.Prefix { return allowed }).control(network, address, nil)
}

// CheckHost returns the guard's verdict on requesting a URL through a proxy.
func CheckHost(u *url.URL) error {
	return newGuard(func() []netip.Prefix { return nil }).checkHost(u)
}
