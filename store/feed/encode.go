package feed

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// EncodePercents returns a URL in which each % that no two hexadecimal digits follow is encoded, as browsers read it.
func EncodePercents(ref string) string {
	var out strings.Builder
	for i := strings.IndexByte(ref, '%'); i >= 0; i = strings.IndexByte(ref, '%') {
		out.WriteString(ref[:i+1])
		if ref = ref[i+1:]; len(ref) < 2 || strings.Trim(ref[:2], "0123456789abcdefABCDEF") != "" {
			out.WriteString("25")
		}
	}
	return out.String() + ref
}

// EncodeForeign percent-encodes the bytes of a query that are not ASCII. url.URL does so with a path only.
func EncodeForeign(query string) string {
	if IsASCII(query) {
		return query
	}
	var out strings.Builder
	for i := range len(query) {
		if query[i] < utf8.RuneSelf {
			out.WriteByte(query[i])
		} else {
			fmt.Fprintf(&out, "%%%02X", query[i])
		}
	}
	return out.String()
}

// IsASCII reports whether a text has no other characters.
func IsASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}
