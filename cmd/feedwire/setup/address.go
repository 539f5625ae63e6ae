package setup

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/config"
)

// CallbackURL returns the URL prefix at which hubs call the daemon. It is empty if the daemon does not subscribe to hubs.
func CallbackURL(cfg *config.Config) string {
	if cfg.Fetch.Push == "always" || cfg.Fetch.Push == "auto" && IsPublic(cfg.PublicURL) {
		return cfg.PublicURL + "/push/"
	}
	return ""
}

// IsPublic reports whether the host of a URL may be reachable from the internet. It does not resolve names.
func IsPublic(publicURL string) bool {
	u, err := url.Parse(publicURL)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsGlobalUnicast() && !ip.IsPrivate() && ip.Zone() == ""
	}
	top := host[strings.LastIndexByte(host, '.')+1:]
	switch top {
	case host, "localhost", "local", "internal", "lan", "home", "test", "invalid", "example": // RFC 6761, RFC 6762, and customs
		return false
	}
	return !strings.HasSuffix(host, ".home.arpa") // RFC 8375
}

// Reachable converts a listen address to one that can be dialled: an empty or unspecified host becomes 127.0.0.1.
func Reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
