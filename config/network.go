package config

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	redis "github.com/feedwire/feedwire/store/address"
	"github.com/feedwire/feedwire/store/feed"
)

// isHostName accepts letters, digits, dashes and dots, or nothing.
var isHostName = regexp.MustCompile(`^[A-Za-z0-9.-]*$`).MatchString

// address parses a listen address, host:port. An empty host means every address, port 0 any free port.
func address(s string) (string, *Problem) {
	host, port, err := net.SplitHostPort(s)
	_, notIP := netip.ParseAddr(host)
	if err != nil || notIP != nil && !isHostName(host) {
		return "", wrong(quote(s)+" is not host:port", "write it like 127.0.0.1:8080, [::1]:8080 or :8080")
	}
	if _, err = strconv.ParseUint(port, 10, 16); err != nil {
		return "", wrong(quote(s)+" has no port number from 0 to 65535", "write it like 127.0.0.1:8080")
	}
	return s, nil
}

// loopbackAddress parses a listen address that only this machine can reach.
func loopbackAddress(s string) (string, *Problem) {
	if _, problem := address(s); problem != nil || isLoopback(s) {
		return s, problem
	}
	return "", wrong(quote(s)+" is a public address", "write it like 127.0.0.1:6060")
}

// isLoopback reports whether only this machine can reach a listen address.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && IsLoopback(host)
}

// hostName parses the name of a host. It is lower case, as names in requests are compared.
func hostName(s string) (string, *Problem) {
	if _, notIP := netip.ParseAddr(s); s == "" || notIP == nil || len(s) > 253 || !isHostName(s) || strings.Trim(s, ".-") != s || strings.Contains(s, "..") {
		return "", wrong(quote(s)+" is not a host name", "write it like talk.example.org, without scheme and port")
	}
	return strings.ToLower(s), nil
}

// mailServer parses the name of a host or its address.
func mailServer(s string) (string, *Problem) {
	if _, err := netip.ParseAddr(s); err == nil {
		return s, nil
	}
	return hostName(s)
}

// IsLoopback reports whether a host is this machine. Names other than localhost may resolve to anything, so they count as public.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// bucketURL parses the URL of a bucket.
func bucketURL(s string) (string, *Problem) {
	if s, problem := webURL(s); problem != nil {
		return s, problem
	}
	u, _ := url.Parse(s) // it is a URL
	if name := strings.Trim(u.Path, "/"); name == "" || strings.Contains(name, "/") {
		return "", wrong(quote(s)+" does not end with the name of a bucket", "write it like https://s3.example.org/images")
	}
	return s, nil
}

// webURL parses an absolute http or https URL without user name, query and fragment.
func webURL(s string) (string, *Problem) {
	const example = "write it like https://news.example.org"
	u, err := url.Parse(s)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
		return "", wrong(quote(s)+" is not an absolute http or https URL", example)
	case u.User != nil:
		return "", wrong("the URL contains a user name or password", example)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", wrong(quote(s)+" has a query or a fragment", example)
	}
	return s, nil
}

// sourceURL returns the canonical form of the URL of a source.
func sourceURL(s string) (string, *Problem) {
	canonical, err := feed.CanonicalURL(s)
	if err == nil {
		return canonical, nil
	}
	reason := invalidReason(err)
	if _, unreadable := errors.AsType[*url.Error](err); unreadable {
		reason = "the URL cannot be read" // the error repeats it, and it may contain a password
	}
	return "", wrong(reason, "write it like https://example.org/feed.xml")
}

// redisURL parses the address of a Redis. It may contain a password, so no message repeats it.
func redisURL(s string) (string, *Problem) {
	if _, err := redis.Parse(s); err != nil {
		return "", wrong(err.Error(), redis.Forms)
	}
	return s, nil
}

// maskUserinfo masks user name and password of a URL.
func maskUserinfo(s string) string { return redis.Masked(s, mask) }

// network parses a CIDR or a single address.
func network(s string) (netip.Prefix, *Problem) {
	const example = "write it like 10.0.0.0/8, fd00::/8 or 192.168.1.20"
	if ip, err := netip.ParseAddr(s); err == nil && ip.Zone() == "" {
		ip = ip.Unmap()
		return netip.PrefixFrom(ip, ip.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(s)
	switch {
	case err != nil || prefix.Addr().Is4In6():
		return netip.Prefix{}, wrong(quote(s)+" is not a network", example)
	case prefix != prefix.Masked():
		return netip.Prefix{}, wrong(quote(s)+" has bits beyond its mask", "write "+prefix.Masked().String())
	}
	return prefix, nil
}

// maskProxy masks user name and password of a proxy.
func maskProxy(s string) string {
	if u, err := url.Parse(s); err == nil && u.User != nil {
		return maskUserinfo(s)
	}
	return s
}

// callbackURL parses the URL of a webhook or hub. It may be a secret, so no message repeats it.
func callbackURL(s string) (string, *Problem) {
	if err := feed.CheckCallback(s); err != nil {
		return "", wrong(invalidReason(err), "write it like https://example.org/hook")
	}
	return s, nil
}

// maskPath masks path and query of a URL.
func maskPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || s == "" {
		return hide(s)
	}
	if u.Path == "" && u.RawQuery == "" {
		return s
	}
	return u.Scheme + "://" + u.Host + "/" + mask
}
