package feed

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
)

// GUIDAlias is what a guid is known by when its spelling changes. A guid that is the address of a page keeps its alias
// when the site moves to https, drops "www." or adds a slash; any other one, and one that the document calls opaque
// (isPermaLink="false"), stands for itself only. It has 13 bytes.
func GUIDAlias(guid string, opaque bool) string {
	if !opaque {
		if page := settledLink(guid); page != "" {
			return aliasURL + shortSum(page)
		}
	}
	return aliasExact + shortSum(guid)
}

// LinkAlias is likewise that of the page that an entry links to; empty when there is no link.
func LinkAlias(link string) string {
	page := settledLink(link)
	if page == "" {
		return ""
	}
	return aliasLink + shortSum(page)
}

// The kinds of aliases. Two entries may share a link, so that it says less than a guid.
const (
	aliasURL   = "u:"
	aliasExact = "g:"
	aliasLink  = "l:"
)

// IsLinkAlias reports whether an alias is that of a link.
func IsLinkAlias(alias string) bool { return strings.HasPrefix(alias, aliasLink) }

// IsExactAlias reports whether an alias is that of an opaque guid.
func IsExactAlias(alias string) bool { return strings.HasPrefix(alias, aliasExact) }

// shortSum is 64 bits of a hash: enough to tell the entries of one source apart.
func shortSum(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.RawURLEncoding.EncodeToString(sum[:8])
}

// settledLink is a web address without what changes while the page stays the same; empty for anything else.
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
