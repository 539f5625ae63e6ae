package config

import (
	"errors"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	redis "github.com/feedwire/feedwire/store/address"
	"github.com/feedwire/feedwire/store/feed"
)

// address checks what a server listens on, host:port. An empty host is every address, port 0 any free port.
func address(s string) *Problem {
	host, port, err := net.SplitHostPort(s)
	_, notIP := netip.ParseAddr(host)
	strange := func(r rune) bool { return !isAlphanumeric(r) && r != '-' && r != '.' }
	if err != nil || notIP != nil && strings.ContainsFunc(host, strange) {
		return wrong(quote(s)+" is not host:port", "write it like 127.0.0.1:8080, [::1]:8080 or :8080")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return wrong(quote(s)+" has no port number from 0 to 65535", "write it like 127.0.0.1:8080")
	}
	return nil
}

// loopbackAddress checks what a server listens on that only this machine may reach.
func loopbackAddress(s string) *Problem {
	if problem := address(s); problem != nil {
		return problem
	}
	if !isLoopback(s) {
		return wrong(quote(s)+" can be reached by others", "write it like 127.0.0.1:6060")
	}
	return nil
}

// isLoopback reports whether only this machine reaches a listening address. A name other than localhost may resolve to
// anything, so it is taken for public.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// webURL checks an absolute http or https URL without user name, query and fragment.
func webURL(s string) *Problem {
	const example = "write it like https://news.example.org"
	u, err := url.Parse(s)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
		return wrong(quote(s)+" is not an absolute http or https URL", example)
	case u.User != nil:
		return wrong("the URL holds a user name or password", example)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return wrong(quote(s)+" has a query or a fragment", example)
	}
	return nil
}

// contact checks a web address or a mail address.
func contact(s string) *Problem {
	if a, err := mail.ParseAddress(s); err == nil && a.Address == s {
		return nil
	}
	if webURL(s) != nil {
		return wrong(quote(s)+" is neither a web nor a mail address", "write https://example.org/bot or bot@example.org")
	}
	return nil
}

// sourceURL is the canonical spelling of a source's URL.
func sourceURL(s string) (string, *Problem) {
	canonical, err := feed.CanonicalURL(s)
	if err == nil {
		return canonical, nil
	}
	reason := strings.TrimPrefix(err.Error(), feed.ErrInvalid.Error()+": ")
	if _, unreadable := errors.AsType[*url.Error](err); unreadable {
		reason = "the URL cannot be read" // the error repeats it, and it may hold a password
	}
	return "", wrong(reason, "write it like https://example.org/feed.xml")
}

// sourceOrAll is sourceURL, or "*" for every source.
func sourceOrAll(s string) (string, *Problem) {
	if s == "*" {
		return s, nil
	}
	return sourceURL(s)
}

// redisURL checks the address of a Redis. It may hold a password, so no message repeats it.
func redisURL(s string) *Problem {
	if _, err := redis.Parse(s); err != nil {
		return wrong(err.Error(), redis.Forms)
	}
	return nil
}

// maskUserinfo is a URL fit to be seen.
func maskUserinfo(s string) string { return redis.Masked(s, mask) }

// network reads a CIDR; an address alone is a network of one.
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

// canonicalURL is the URL of a source, in the one spelling under which it is stored.
func canonicalURL(p *string) value {
	return single("URL", func(s string) *Problem {
		if s == "" {
			return nil // that it is required says checkSources, which also sees where it is not given at all
		}
		canonical, problem := sourceURL(s)
		if problem == nil {
			*p = canonical
		}
		return problem
	}, func() string { return *p })
}
