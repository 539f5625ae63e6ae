package main

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store/feed"
)

// callbackURL is where hubs call the daemon back, up to the token; empty: it subscribes nowhere.
func callbackURL(cfg *config.Config) string {
	if cfg.Fetch.Push == "always" || cfg.Fetch.Push == "auto" && isPublic(cfg.PublicURL) {
		return cfg.PublicURL + "/push/"
	}
	return ""
}

// isPublic reports whether a hub on the internet may reach a URL: it is no address, and no name, of a private network. It
// asks nobody.
func isPublic(publicURL string) bool {
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

// pushText is how the subscription of a source goes, in a line.
func pushText(p *feed.Push, now time.Time) string {
	text := pushLabel(p.State)
	if !p.LeaseEnd.IsZero() {
		text += ", until " + p.LeaseEnd.Format(time.DateTime)
	}
	if !p.LastPush.IsZero() {
		text += fmt.Sprintf(", %d pushes, last %s", p.Pushes, ago(p.LastPush, now))
	}
	if p.ErrorText != "" {
		text += "; " + p.ErrorText
	}
	return text
}
