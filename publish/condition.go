package publish

import (
	"net/http"
	"strconv"
	"strings"
)

// httpTime is the form of dates in HTTP (RFC 9110 section 5.6.7).
const httpTime = http.TimeFormat

// held tells whether the client holds v already, and whether it has proved so by naming it.
func (d *document) held(v *variant, h http.Header) (held, proved bool) {
	if match := h["If-None-Match"]; len(match) > 0 { // then If-Modified-Since does not count, RFC 9110 section 13.2.2
		return matches(strings.Join(match, ","), v.etag)
	}
	// Equal, not merely later: after a restart, or beside a second daemon, a date can be later than a document that its
	// sender has never seen.
	date := value(h, "If-Modified-Since")
	if date == "" {
		return false, false
	}
	since, err := http.ParseTime(date)
	held = err == nil && d.dated && since.Equal(d.modified)
	return held, held
}

// matches reads If-None-Match, comparing weakly (RFC 9110 section 13.1.2). "*" matches without naming anything.
func matches(list, etag string) (match, named bool) {
	for {
		list = strings.TrimLeft(list, " \t,")
		switch {
		case list == "":
			return match, false
		case list[0] == '*':
			match = true
			list = list[1:]
			continue
		}
		list = strings.TrimPrefix(list, "W/")
		if len(list) == 0 || list[0] != '"' {
			return match, false // not a list of entity tags
		}
		end := strings.IndexByte(list[1:], '"')
		if end < 0 {
			return match, false
		}
		if list[:end+2] == etag {
			return true, true
		}
		list = list[end+2:]
	}
}

// acceptsGzip reads Accept-Encoding (RFC 9110 section 12.5.3): gzip is sent where it is acceptable and nothing says that
// plain is liked better.
func acceptsGzip(h http.Header) bool {
	gzip, identity, rest := -1.0, -1.0, -1.0
	for _, list := range h["Accept-Encoding"] {
		for list != "" {
			var part string
			part, list, _ = strings.Cut(list, ",")
			coding, params, _ := strings.Cut(part, ";")
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

// weight reads the parameter q, 1 where there is none, 0 where it is not a number from 0 to 1.
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
