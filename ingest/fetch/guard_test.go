package fetch_test

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

// The rows T1 to T6 are what has to hold against requests to internal servers. The rows of names and of requests
// are tests of package ingest.

func TestT1GuardRefusesWhatIsNotPublic(t *testing.T) {
	for _, address := range []string{
		"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
		"169.254.169.254", "169.254.170.2", "100.64.0.1", "100.100.100.200", "192.0.0.192", "192.0.2.1", "198.18.0.1",
		"198.51.100.1", "203.0.113.1", "192.88.99.1", "168.63.129.16", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::1", "::", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1",
		"64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2002:a9fe:a9fe::", "2001:0:7f00:1::", "2001:db8::1",
		"3fff::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%lo", "::1%lo", "fec0::1", "ff02::1", "100::1", "5f00::1",
		"2620:4f:8000::1", "4000::1",
	} {
		for _, network := range []string{"tcp4", "tcp6"} {
			err := fetch.Dial(nil, network, net.JoinHostPort(address, "443"))
			if err == nil {
				t.Errorf("%s: dialled", address)
				continue
			}
			if got := feed.ClassOf(err); got != feed.FailureBlockedAddress {
				t.Errorf("%s: class %s", address, got)
			}
			plain, _, _ := strings.Cut(address, "%")
			named := netip.MustParseAddr(plain).Unmap().String()
			if text := err.Error(); !strings.Contains(text, named) || !strings.Contains(text, "fetch.allow_networks") {
				t.Errorf("%s: %q names not both address and setting", address, text)
			}
		}
	}
}

func TestT1GuardLetsThePublicWebThrough(t *testing.T) {
	for _, address := range []string{"8.8.8.8:443", "8.8.8.8:80", "8.8.8.8:8443", "[2606:4700::1111]:443", "[::ffff:8.8.8.8]:443"} {
		if err := fetch.Dial(nil, "tcp4", address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{
		"8.8.8.8:22", "8.8.8.8:25", "8.8.8.8:0", "[2606:4700::1111]:53", "[2606:4700::1111%lo]:443", "8.8.8.8", "", "[::1", "x:80",
	} {
		if err := fetch.Dial(nil, "tcp4", address); err == nil {
			t.Errorf("%s: dialled", address)
		}
	}
	for network, address := range map[string]string{"udp": "8.8.8.8:443", "unix": "/run/docker.sock", "unixgram": "@abstract", "ip4:icmp": "8.8.8.8"} {
		if err := fetch.Dial(nil, network, address); err == nil {
			t.Errorf("dialled over %s", network)
		}
	}
}

func TestT5GuardLetsAllowedNetworksThrough(t *testing.T) {
	allowed := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("::1/128")}
	for _, address := range []string{"10.1.2.3:22", "[::ffff:10.1.2.3]:80", "[fd00::1]:6379", "[::1]:80", "8.8.8.8:80"} {
		if err := fetch.Dial(allowed, "tcp", address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"10.2.0.1:80", "127.0.0.1:80", "[fe80::1%lo]:80"} {
		if err := fetch.Dial(allowed, "tcp", address); err == nil {
			t.Errorf("%s: dialled", address)
		}
	}
}
