package feed

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
)

// GUIDAlias returns a 13-byte alias that identifies a guid even if its spelling changes. The alias of a URL does not change if
// the site moves to https, drops "www." or adds a slash. Any other guid, and an opaque one (isPermaLink="false"), only has
// the alias of its exact spelling.
func GUIDAlias(guid string, opaque bool) string {
	if !opaque {
		if page := settledLink(guid); page != "" {
			return aliasURL + shortSum(page)
		}
	}
	return aliasExact + shortSum(guid)
}

// LinkAlias returns the alias of the link of an entry, or "" if there is no link.
func LinkAlias(link string) string {
	page := settledLink(link)
	if page == "" {
		return ""
	}
	return aliasLink + shortSum(page)
}

// Kinds of aliases. Two entries may share a link, so that it is weaker than a guid.
const (
	aliasURL   = "u:"
	aliasExact = "g:"
	aliasLink  = "l:"
)

// IsLinkAlias reports whether an alias is of a link.
func IsLinkAlias(alias string) bool { return strings.HasPrefix(alias, aliasLink) }

// IsExactAlias reports whether an alias is of an opaque guid.
func IsExactAlias(alias string) bool { return strings.HasPrefix(alias, aliasExact) }

// shortSum returns 64 bits of a hash, enough for the entries of one source.
func shortSum(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.RawURLEncoding.EncodeToString(sum[:8])
}

// settledLink returns an http URL without the parts that can change while the page stays the same, or "".
func settledLink(link string) string {
	if len(link) < len("http://") || !strings.EqualFold(link[:4], "http") {
		return ""
	}
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https") {
		return ""
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		host += ":" + port
	}
	page := host + strings.TrimRight(u.EscapedPath(), "/")
	if u.RawQuery != "" {
		page = string(appendSettled([]byte(page), "?"+u.RawQuery))
	}
	if f := u.EscapedFragment(); f != "" && !IsTracking(f) {
		page += "#" + f
	}
	return page
}
