package document

import (
	"net/http"
	"strconv"
	"strings"
)

// condition evaluates If-None-Match and If-Modified-Since: whether the client has v already, and whether it proved that by
// naming the version.
func (d *Document) condition(v *variant, h http.Header) (matches, named bool) {
	if match := h["If-None-Match"]; len(match) > 0 { // takes precedence (RFC 9110 section 13.2.2)
		return matchETag(strings.Join(match, ","), v.etag)
	}
	// Equal, not merely later: after a restart, or beside a second daemon, a date can be later than a document that its
	// sender has never seen.
	date := h["If-Modified-Since"]
	if len(date) == 0 {
		return false, false
	}
	since, err := http.ParseTime(date[0])
	matches = err == nil && d.Dated && since.Equal(d.Modified)
	return matches, matches
}

// matchETag evaluates If-None-Match by weak comparison (RFC 9110 section 13.1.2). "*" matches without naming a version.
func matchETag(list, etag string) (matches, named bool) {
	for tag := range strings.SplitSeq(list, ",") { // a tag of ours has no comma
		switch tag = strings.TrimSpace(tag); {
		case strings.TrimPrefix(tag, "W/") == etag:
			return true, true
		case tag == "*":
			matches = true
		}
	}
	return matches, false
}

// acceptsGzip evaluates Accept-Encoding (RFC 9110 section 12.5.3): gzip is sent if it is acceptable and not less preferred
// than identity.
func acceptsGzip(h http.Header) bool {
	gzip, identity, rest := -1.0, -1.0, -1.0
	for _, list := range h["Accept-Encoding"] {
		for item := range strings.SplitSeq(list, ",") {
			coding, params, _ := strings.Cut(item, ";")
			switch coding = strings.TrimSpace(coding); {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				gzip = weight(params)
			case strings.EqualFold(coding, "identity"):
				identity = weight(params)
			case coding == "*":
				rest = weight(params)
			}
		}
	}
	if gzip < 0 {
		gzip = rest
	}
	return gzip > 0 && gzip >= identity
}

// weight parses the parameter q. It is 1 by default, and 0 if it is not a number from 0 to 1.
func weight(params string) float64 {
	params = strings.TrimSpace(params)
	if len(params) < 2 || !strings.EqualFold(params[:2], "q=") {
		return 1
	}
	q, err := strconv.ParseFloat(params[2:], 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}
