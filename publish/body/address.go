package body

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

const (
	maxURL        = 2048 // bytes; longer addresses are unusable
	maxCandidates = 16   // addresses in a srcset
)

// link opens a link. If its address is unusable, only its text stays.
func (w *writer) link(t html.Token, closed bool) {
	href, there := attr(t, "href")
	if w.resolve(href, "http", "https", "mailto", "tel") != "" {
		w.element("a", t, closed)
		return
	}
	if there && href != "" {
		w.warn("unwrapped: a link that is not http, https, mailto or tel", t)
	}
}

// lazyKeys are the attributes in which pages that load media by script hold the address. Their src is a placeholder.
func lazyKeys() []string {
	return []string{"data-src", "data-original", "data-lazy-src", "data-orig-file", "data-lazy"}
}

func lazySets() []string { return []string{"data-srcset", "data-lazy-srcset", "srcset"} }

func lazy(t html.Token) bool {
	for _, key := range append(lazyKeys(), "data-srcset", "data-lazy-srcset") {
		if _, there := attr(t, key); there {
			return true
		}
	}
	return false
}

// address returns the address of a medium from the first attribute that has a usable one, or an empty string.
func (w *writer) address(t html.Token) string {
	for _, key := range append(lazyKeys(), "src") {
		if value, there := attr(t, key); there {
			if src := w.resolve(value, "http", "https"); src != "" {
				return src
			}
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
	for _, key := range lazySets() {
		if value, there := attr(t, key); there {
			if set := w.candidates(value); set != "" {
				return set
			}
		}
	}
	return ""
}

// candidates parses a srcset (HTML 4.8.4.2.1): addresses, each with an optional width or density.
func (w *writer) candidates(s string) string {
	var all []string
	for len(all) < maxCandidates {
		s = strings.TrimLeft(s, " \t\n\f,")
		if s == "" {
			break
		}
		address, descriptor := s, ""
		if end := strings.IndexAny(s, " \t\n\f"); end >= 0 {
			address, s = s[:end], s[end:]
		} else {
			s = ""
		}
		if !strings.HasSuffix(address, ",") {
			descriptor, s, _ = strings.Cut(s, ",")
		}
		address = w.resolve(strings.TrimRight(address, ","), "http", "https")
		if address == "" {
			continue
		}
		address = strings.TrimRight(address, ",")
		if descriptor = strings.TrimSpace(descriptor); measure(descriptor) {
			address += " " + descriptor
		}
		all = append(all, address)
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
	if len(s) > maxURL {
		return ""
	}
	return s
}

// Address returns the http or https address ref, resolved against base. It is empty if ref is unusable in a document.
func Address(ref, base string) string {
	w := &writer{}
	if u, err := url.Parse(base); err == nil && u.IsAbs() && u.Host != "" {
		w.base = u
	}
	return w.resolve(hypertext.Clean(ref), "http", "https")
}

// quoter percent-encodes the characters that a URI cannot contain (RFC 3986 section 2).
var quoter = strings.NewReplacer(" ", "%20", `"`, "%22", "<", "%3C", ">", "%3E", `\`, "%5C", "^", "%5E", "`", "%60",
	"{", "%7B", "|", "%7C", "}", "%7D")
