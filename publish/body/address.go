package body

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/instant"
)

const (
	maxURL        = 2048 // bytes; a longer address is one that cannot be read
	maxCandidates = 16   // addresses in a srcset
)

// link opens a link. One that leads nowhere gives way to its text.
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

// lateKeys are where pages that load media late keep the address, while src holds a placeholder.
func lateKeys() []string {
	return []string{"data-src", "data-original", "data-lazy-src", "data-orig-file", "data-lazy"}
}

func lateSets() []string { return []string{"data-srcset", "data-lazy-srcset", "srcset"} }

func late(t html.Token) bool {
	for _, key := range append(lateKeys(), "data-srcset", "data-lazy-srcset") {
		if _, there := attr(t, key); there {
			return true
		}
	}
	return false
}

// address is where a medium is, from the first attribute that holds a usable one; empty: none.
func (w *writer) address(t html.Token) string {
	for _, key := range append(lateKeys(), "src") {
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

// set is a srcset of absolute addresses; empty: none of them is usable.
func (w *writer) set(t html.Token) string {
	for _, key := range lateSets() {
		if value, there := attr(t, key); there {
			if set := w.candidates(value); set != "" {
				return set
			}
		}
	}
	return ""
}

// candidates reads a srcset (HTML 4.8.4.2.1): addresses, each with a width or a density or none.
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

// measure reports "640w" and "1.5x".
func measure(s string) bool {
	if !strings.HasSuffix(s, "w") && !strings.HasSuffix(s, "x") || len(s) > 10 {
		return false
	}
	n, err := strconv.ParseFloat(s[:len(s)-1], 64)
	return err == nil && n > 0 && n < 1e6
}

// resolve makes ref absolute; it is empty where ref cannot be read, is too long or has none of the schemes.
func (w *writer) resolve(ref string, schemes ...string) string {
	s := quoter.Replace(instant.Resolve(w.base, ref, schemes...))
	if len(s) > maxURL {
		return ""
	}
	return s
}

// Address is the http or https address ref, which base completes where it is relative; empty: it is none that can stand in
// a document.
func Address(ref, base string) string {
	w := &writer{}
	if u, err := url.Parse(base); err == nil && u.IsAbs() && u.Host != "" {
		w.base = u
	}
	return w.resolve(instant.Clean(ref), "http", "https")
}

// quoter writes the characters that stand in no URI (RFC 3986 section 2) as their bytes.
var quoter = strings.NewReplacer(" ", "%20", `"`, "%22", "<", "%3C", ">", "%3E", `\`, "%5C", "^", "%5E", "`", "%60",
	"{", "%7B", "|", "%7C", "}", "%7D")
