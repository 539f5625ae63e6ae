package web

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/feedwire/feedwire/store/feed"
)

// Plural counts things: "1 source", "2 sources".
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// PluralIs counts things and adds the verb: "1 source is", "2 sources are".
func PluralIs(n int, one string) string { return Plural(n, one) + Pick(n, " is", " are") }

// Pick returns the form of a word for a number.
func Pick(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Sentence makes a sentence of the text of an error.
func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// Words returns the name of a kind in words: "post created".
func Words(kind feed.SignalKind) string { return strings.ReplaceAll(string(kind), "_", " ") }

// Shorten returns a text of about n bytes.
func Shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// Cut returns the first n bytes of a text.
func Cut(s string, n int) string { return s[:min(n, len(s))] }
