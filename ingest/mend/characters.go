package mend

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// suspect marks the first bytes of characters that XML forbids, and of the control characters U+0080 to U+009F.
var suspect = func() (table [256]bool) {
	for c := range ' ' {
		table[c] = c != '\t' && c != '\n' && c != '\r'
	}
	table[0xC2] = true
	return table
}()

// Characters returns text without the characters that XML 1.0 section 2.2 forbids: one of them makes the whole document
// unreadable. The control characters U+0080 to U+009F are legal, but in practice windows-1252 mislabelled as Latin-1, and
// are replaced by the characters they stand for there.
func Characters(text []byte) []byte {
	clean := true
	for i, c := range text {
		if suspect[c] && (c < ' ' || i+1 < len(text) && text[i+1] < 0xA0) {
			clean = false
			break
		}
	}
	if clean && !bytes.Contains(text, []byte("\uFFFE")) && !bytes.Contains(text, []byte("\uFFFF")) {
		return text
	}
	return bytes.Map(func(r rune) rune {
		switch {
		case r >= 0x80 && r < 0xA0:
			return charmap.Windows1252.DecodeByte(byte(r))
		case isLegal(r):
			return r
		}
		return -1
	}, text)
}

// Plain returns s without invalid UTF-8, characters that XML forbids, and control characters except tab and line ends.
func Plain(s string) string {
	if isPlain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if !isLegal(r) || unicode.Is(unicode.Cc, r) && r != '\t' && r != '\n' && r != '\r' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// Line returns Plain(s) on one line, with single spaces.
func Line(s string) string { return strings.Join(strings.Fields(Plain(s)), " ") }

// isPlain reports whether Plain returns s unchanged. It may report false for a text without such characters.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; suspect[c] && (c < ' ' || i+1 < len(s) && s[i+1] < 0xA0) || c == 0x7F || c == 0xEF && strings.HasPrefix(s[i:], "\xEF\xBF") {
			return false
		}
	}
	return utf8.ValidString(s)
}

// isLegal reports whether XML 1.0 allows the character.
func isLegal(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD ||
		r >= 0x10000 && r <= utf8.MaxRune
}
