package mend

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// suspect marks the first bytes of characters that XML forbids, and of control characters.
var suspect = func() (table [256]bool) {
	for c := range ' ' {
		table[c] = c != '\t' && c != '\n' && c != '\r'
	}
	table[0x7F], table[0xC2], table[0xEF] = true, true, true
	return table
}()

// isClean reports whether a text has no characters that XML forbids and no control characters. It may report false for a
// clean text.
func isClean[T string | []byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; suspect[c] && (c < 0x80 || i+1 < len(text) && (c == 0xC2 && text[i+1] < 0xA0 || c == 0xEF && text[i+1] == 0xBF)) {
			return false
		}
	}
	return true
}

// Characters returns text without the characters that XML 1.0 section 2.2 forbids: one of them makes the whole document
// unreadable. The control characters U+0080 to U+009F are legal, but in practice windows-1252 mislabelled as Latin-1, and
// are replaced by the characters they stand for there.
func Characters(text []byte) []byte {
	if isClean(text) {
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
	if isClean(s) && utf8.ValidString(s) {
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

// isLegal reports whether XML 1.0 allows the character.
func isLegal(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD ||
		r >= 0x10000 && r <= utf8.MaxRune
}
