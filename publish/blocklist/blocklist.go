// Package blocklist matches what members write against lists of words and domains.
package blocklist

import (
	"errors"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Bounds of a list.
const (
	MaxRules = 1000 // of words, and of domains; callers enforce it
	MaxRule  = 253  // bytes
)

var (
	errWord   = errors.New("is not a word")
	errDomain = errors.New("is not a domain")
)

// Accents that do not make another word. The marks of other scripts do.
const firstAccent, lastAccent = '\u0300', '\u036f'

// List is a list of words and domains. The zero value matches nothing.
type List struct {
	words   []rule
	domains map[string]string // as configured, by host
}

// rule is a word or phrase.
type rule struct{ word, folded string }

// New returns a list. A word may be a phrase of several words. A domain contains its subdomains. What CheckWord and CheckDomain refuse matches
// nothing.
func New(words, domains []string) *List {
	l := &List{domains: make(map[string]string, len(domains))}
	for _, word := range words {
		if folded, err := foldWord(word); err == nil {
			l.words = append(l.words, rule{word, folded})
		}
	}
	for _, domain := range domains {
		if host, err := hostOf(domain); err == nil {
			l.domains[host] = domain
		}
	}
	return l
}

// CheckWord returns an error for a word that matches nothing.
func CheckWord(word string) error {
	_, err := foldWord(word)
	return err
}

// CheckDomain returns an error for a text that is no domain.
func CheckDomain(domain string) error {
	_, err := hostOf(domain)
	return err
}

func foldWord(word string) (string, error) {
	folded := fold(word)
	if len(word) > MaxRule || strings.TrimSpace(folded) == "" {
		return "", errWord
	}
	return folded, nil
}

func hostOf(domain string) (string, error) {
	host := ascii(domain)
	if len(domain) > MaxRule || host == "" || strings.ContainsAny(host, "/:@ ") {
		return "", errDomain
	}
	return host, nil
}

// Word returns the first word of the list that a text contains; empty: there is none.
func (l *List) Word(text string) string {
	if len(l.words) == 0 {
		return ""
	}
	folded := fold(text)
	for _, r := range l.words {
		if strings.Contains(folded, r.folded) {
			return r.word
		}
	}
	return ""
}

// Domain returns the domain of the list that the host of a URL is, or is below; empty: there is none.
func (l *List) Domain(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	for host := ascii(u.Hostname()); host != ""; _, host, _ = strings.Cut(host, ".") {
		if domain, found := l.domains[host]; found {
			return domain
		}
	}
	return ""
}

// fold returns the words of a text for a comparison without case, accents and compatibility forms, each between spaces.
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
	for _, r := range norm.NFD.String(text) {
		switch {
		case r >= firstAccent && r <= lastAccent:
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

// hosts maps hosts as browsers do, who also accept labels that registries do not, such as a_b.
var hosts = idna.New(idna.MapForLookup(), idna.StrictDomainName(false), idna.CheckHyphens(false), idna.ValidateLabels(false))

// ascii returns a host as browsers send it, without dots at its end.
func ascii(host string) string {
	host = strings.TrimSpace(norm.NFKC.String(host))
	if encoded, err := hosts.ToASCII(strings.TrimRight(host, ".")); err == nil {
		return encoded
	}
	return strings.ToLower(strings.TrimRight(host, "."))
}
