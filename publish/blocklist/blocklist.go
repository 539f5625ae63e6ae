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

// accents are marks that do not make another word. Those of other scripts do.
var accents = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0300, Hi: 0x036f, Stride: 1}, {Lo: 0x0483, Hi: 0x0489, Stride: 1}, {Lo: 0x180b, Hi: 0x180d, Stride: 1}, {Lo: 0x1ab0, Hi: 0x1aff, Stride: 1}, {Lo: 0x1dc0, Hi: 0x1dff, Stride: 1},
		{Lo: 0x20d0, Hi: 0x20ff, Stride: 1}, {Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, {Lo: 0xfe20, Hi: 0xfe2f, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}},
}

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

// Domain returns the domain of the list that the host of a URL is, or is below, or looks like; empty: there is none.
func (l *List) Domain(address string) string {
	u, err := url.Parse(address)
	if err != nil || len(l.domains) == 0 {
		return ""
	}
	exact := ascii(u.Hostname())
	for _, host := range []string{exact, ascii(latinHost(exact))} {
		for ; host != ""; _, host, _ = strings.Cut(host, ".") {
			if domain, found := l.domains[host]; found {
				return domain
			}
		}
	}
	return ""
}

// fold returns the words of a text for a comparison without case, accents, compatibility forms and lookalikes, each between spaces.
func fold(text string) string {
	text = strings.Map(func(r rune) rune { // also replaces invalid bytes
		if unicode.Is(unicode.Cf, r) { // invisible, such as a soft hyphen
			return -1
		}
		return r
	}, text)
	text = latin(norm.NFKD.String(text))
	caser := cases.Fold()
	text = norm.NFKC.String(caser.String(norm.NFKD.String(caser.String(norm.NFD.String(text)))))
	var b strings.Builder
	b.WriteByte(' ')
	space := true
	for _, r := range norm.NFD.String(text) {
		switch {
		case unicode.Is(accents, r):
		case inWord(r):
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

// ascii returns a host as browsers send it, without dots at its end. A label that no browser sends does not spoil the others.
func ascii(host string) string {
	host = dots.Replace(strings.TrimRight(strings.TrimSpace(norm.NFKC.String(host)), "."))
	labels := strings.Split(strings.TrimRight(host, "."), ".")
	for i, label := range labels {
		encoded, err := hosts.ToASCII(label)
		if err != nil {
			encoded = strings.ToLower(label)
		}
		labels[i] = encoded
	}
	return strings.Join(labels, ".")
}

// dots are the full stops that IDNA reads as dots.
var dots = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

// latinHost returns a host with Latin letters for those that look like them. Labels of Latin letters only are what they look like.
func latinHost(host string) string {
	labels := strings.Split(host, ".")
	for i, label := range labels {
		shown, _ := hosts.ToUnicode(label) // as much as can be decoded
		if strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }) {
			labels[i] = latin(shown)
		}
	}
	return strings.Join(labels, ".")
}
