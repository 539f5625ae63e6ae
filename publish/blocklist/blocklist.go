// Package blocklist matches what members write against lists of words and domains.
package blocklist

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Bounds of a list.
const (
	MaxRules = 10_000 // of words, and of domains
	MaxRule  = 253    // bytes
)

// List is a list of words and domains. The zero value matches nothing.
type List struct {
	words   []string // folded, between spaces
	domains map[string]bool
}

// New returns a list. A word may be a phrase of several words. A domain contains its subdomains.
func New(words, domains []string) (*List, error) {
	if len(words) > MaxRules || len(domains) > MaxRules {
		return nil, fmt.Errorf("the list has %d words and %d domains; the maximum is %d each", len(words), len(domains), MaxRules)
	}
	l := &List{domains: make(map[string]bool, len(domains))}
	for _, word := range words {
		folded := fold(word)
		if len(word) > MaxRule || strings.TrimSpace(folded) == "" {
			return nil, fmt.Errorf("%q is not a word: write letters or digits, at most %d bytes", word, MaxRule)
		}
		l.words = append(l.words, folded)
	}
	for _, domain := range domains {
		host := ascii(domain)
		if len(domain) > MaxRule || host == "" || strings.ContainsAny(host, "/:@ ") {
			return nil, fmt.Errorf("%q is not a domain: write it without scheme, port and path, such as example.com", domain)
		}
		l.domains[host] = true
	}
	return l, nil
}

// Word reports whether a text contains a word of the list.
func (l *List) Word(text string) bool {
	folded := fold(text)
	for _, word := range l.words {
		if strings.Contains(folded, word) {
			return true
		}
	}
	return false
}

// Domain reports whether the host of a URL is a domain of the list or is below one.
func (l *List) Domain(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	for host := ascii(u.Hostname()); host != ""; _, host, _ = strings.Cut(host, ".") {
		if l.domains[host] {
			return true
		}
	}
	return false
}

// fold returns the words of a text for a comparison without case and compatibility forms, each between spaces.
func fold(text string) string {
	text = strings.Map(func(r rune) rune { // also replaces invalid bytes
		if unicode.Is(unicode.Cf, r) { // invisible, such as a soft hyphen
			return -1
		}
		return r
	}, text)
	caser := cases.Fold()
	text = norm.NFKC.String(caser.String(norm.NFKD.String(caser.String(norm.NFD.String(text)))))
	var b strings.Builder
	b.WriteByte(' ')
	space := true
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.L, unicode.N, unicode.M):
			b.WriteRune(r)
			space = false
		case !space:
			b.WriteByte(' ')
			space = true
		}
	}
	if !space {
		b.WriteByte(' ')
	}
	return b.String()
}

// ascii returns a host as browsers send it, without dots at its end.
func ascii(host string) string {
	host = strings.TrimSpace(norm.NFKC.String(host))
	if encoded, err := idna.Lookup.ToASCII(strings.TrimRight(host, ".")); err == nil {
		return encoded
	}
	return strings.ToLower(strings.TrimRight(host, "."))
}
