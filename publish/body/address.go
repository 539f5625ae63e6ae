package body

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

const maxCandidates = 16 // addresses in a srcset

// link opens a link. If its address is unusable, only its text stays.
func (w *writer) link(t html.Token) {
	href, there := attr(t, "href")
	if w.resolve(href, "http", "https", "mailto", "tel") != "" {
		w.element("a", t)
		return
	}
	if there && href != "" {
		w.warn("unwrapped: a link that is not http, https, mailto or tel", t)
	}
}

// lazyKeys are the attributes in which pages that load media by script hold the address. Their src is a placeholder.
var lazyKeys = []string{"data-src", "data-original", "data-lazy-src", "data-orig-file", "data-lazy"}

func lazy(t html.Token) bool {
	return slices.ContainsFunc(t.Attr, func(a html.Attribute) bool {
		return slices.Contains(lazyKeys, a.Key) || a.Key == "data-srcset" || a.Key == "data-lazy-srcset"
	})
}

// address returns the address of a medium from the first attribute that has a usable one, or an empty string.
func (w *writer) address(t html.Token) string {
	for _, key := range append(slices.Clip(lazyKeys), "src") {
		value, _ := attr(t, key)
		if src := w.resolve(value, "http", "https"); src != "" {
			return src
		}
	}
	if t.Data == "source" {
		return ""
	}
	first, _, _ := strings.Cut(w.set(t), " ")
	return strings.TrimSuffix(first, ",")
}

// set returns a srcset of absolute addresses, or an empty string if none is usable.
func (w *writer) set(t html.Token) string {
	for _, key := range hypertext.SourceSets {
		value, _ := attr(t, key)
		if set := w.candidates(value); set != "" {
			return set
		}
	}
	return ""
}

// candidates returns a srcset with absolute addresses.
func (w *writer) candidates(srcset string) string {
	var all []string
	for address, descriptor := range hypertext.Candidates(srcset) {
		address = strings.TrimRight(w.resolve(address, "http", "https"), ",")
		if address == "" {
			continue
		}
		if measure(descriptor) {
			address += " " + descriptor
		}
		if all = append(all, address); len(all) == maxCandidates {
			break
		}
	}
	return strings.Join(all, ", ")
}

// measure reports a width or density such as "640w" or "1.5x".
func measure(s string) bool {
	if !strings.HasSuffix(s, "w") && !strings.HasSuffix(s, "x") || len(s) > 10 {
		return false
	}
	n, err := strconv.ParseFloat(s[:len(s)-1], 64)
	return err == nil && n > 0 && n < 1e6
}

// resolve returns ref as an absolute address, or an empty string if it is malformed, too long or has another scheme.
func (w *writer) resolve(ref string, schemes ...string) string {
	s := quoter.Replace(hypertext.Resolve(w.base, ref, schemes...))
	if len(s) > hypertext.MaxURL {
		return ""
	}
	return s
}

// Address returns the http or https address ref, resolved against base. It is empty if ref is unusable in a document.
func Address(ref, base string) string {
	w := &writer{base: parseBase(base)}
	return w.resolve(hypertext.Clean(ref), "http", "https")
}

// parseBase returns an absolute URL with a host, or nil for anything else.
func parseBase(base string) *url.URL {
	u, err := url.Parse(base)
	if err != nil || !u.IsAbs() || u.Host == "" {
		return nil
	}
	return u
}

// quoter percent-encodes the characters that a URI cannot contain (RFC 3986 section 2).
var quoter = strings.NewReplacer(" ", "%20", `"`, "%22", "<", "%3C", ">", "%3E", `\`, "%5C", "^", "%5E", "`", "%60",
	"{", "%7B", "|", "%7C", "}", "%7D")
