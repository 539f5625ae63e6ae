package hypertext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes s safe for XML: it replaces invalid UTF-8 with U+FFFD and removes the characters that XML 1.0 (section 2.2)
// forbids. Call it on decoded text, because "&#11;" is harmless until it is decoded.
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
			return '\n' // as XML parsers normalise line ends
		case r < 0x20 || r == 0xFFFE || r == 0xFFFF:
			return -1
		}
		return r
	}, s)
}

// clean reports whether s certainly needs no work. It returns false for some strings that are clean.
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

// Blank reports whether s shows nothing: only white space, no-break spaces and the zero-width characters that editors leave in
// empty paragraphs.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && r != '\u200B' && r != '\u2060' && r != '\uFEFF'
	})
}

// Escape escapes s as text or as an attribute value in double quotes.
func Escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// OneLine replaces each stretch of white space with one space and trims both ends.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Cut shortens s to at most limit bytes at a character boundary and ends it with "…".
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
