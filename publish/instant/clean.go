package instant

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes s safe for an XML document: invalid UTF-8 becomes U+FFFD, and characters that XML 1.0 (section 2.2) does
// not allow are dropped. It runs on decoded text, because "&#11;" is harmless in HTML until it is read.
func Clean(s string) string {
	if clean(s) {
		return s
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return r
		case r == '\r':
			return '\n' // an XML parser would do it, and the document must read the same after one
		case r < 0x20 || r == 0xFFFE || r == 0xFFFF:
			return -1
		}
		return r
	}, s)
}

// clean reports that s, as nearly all text, is plain enough to need no work. It may be wrong the other way.
func clean(s string) bool {
	ascii := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < 0x20 && c != '\n' && c != '\t' || c == 0xEF { // U+FFFE and U+FFFF begin with 0xEF
			return false
		}
		ascii = ascii && c < 0x80
	}
	return ascii || utf8.ValidString(s)
}

// blank reports that a reader would see nothing of s: white space, no-break space and zero-width characters only.
func blank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && !invisible(r) {
			return false
		}
	}
	return true
}

// invisible reports the characters without width that editors leave behind in empty paragraphs.
func invisible(r rune) bool {
	return r == '\u200B' || r == '\u2060' || r == '\uFEFF'
}

// escape writes s as text or as an attribute value in double quotes.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
