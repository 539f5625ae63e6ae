package hypertext

import (
	"iter"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/feedwire/feedwire/store/feed"
)

// MaxURL is the length in bytes above which an address counts as unusable.
const MaxURL = 2048

// Resolve returns the absolute form of ref, the value of an href or src attribute. If base is nil, ref must be absolute.
// It encodes a % that encodes nothing and what is not ASCII, and writes the host as the DNS does. The result is empty if ref is
// malformed, longer than MaxURL, or of another scheme than those given.
func Resolve(base *url.URL, ref string, schemes ...string) string {
	if strings.ContainsAny(ref, "\t\n") {
		ref = strings.NewReplacer("\t", "", "\n", "").Replace(ref) // as browsers do
	}
	ref = strings.TrimSpace(ref)
	if ref == "" || len(ref) > MaxURL {
		return ""
	}
	u, err := url.Parse(feed.EncodePercents(ref))
	if err != nil || strings.ContainsAny(u.Host, "\"<>\\^`{|}% ") {
		return ""
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	web := u.Scheme == "http" || u.Scheme == "https"
	if !slices.Contains(schemes, u.Scheme) || web && u.Host == "" || !web && u.Opaque == "" {
		return ""
	}
	u.RawQuery = feed.EncodeForeign(u.RawQuery)
	if host := u.Hostname(); !feed.IsASCII(host) {
		if ascii, err := idna.Lookup.ToASCII(host); err == nil {
			u.Host = strings.Replace(u.Host, host, ascii, 1) // the port stays
		}
	}
	s := u.String()
	if strings.Contains(u.Host, ":") {
		if _, err := url.Parse(s); err != nil { // url.Parse accepts "//::0" but not "https://::0"
			return ""
		}
	}
	if len(s) > MaxURL {
		return ""
	}
	return s
}

// SourceSets are the attributes with the addresses of an image in several sizes. Scripts of the page read the first two.
var SourceSets = []string{"data-srcset", "data-lazy-srcset", "srcset"}

// Candidates yields the addresses of a srcset (HTML 4.8.4.2.1), each with its descriptor, like 640w or 2x, or without one.
func Candidates(srcset string) iter.Seq2[string, string] {
	const white = " \t\n\f"
	return func(yield func(address, descriptor string) bool) {
		for {
			srcset = strings.TrimLeft(srcset, white+",")
			if srcset == "" {
				return
			}
			end := strings.IndexAny(srcset, white)
			if end < 0 {
				end = len(srcset)
			}
			address, descriptor := srcset[:end], ""
			srcset = srcset[end:]
			if !strings.HasSuffix(address, ",") {
				descriptor, srcset, _ = strings.Cut(srcset, ",")
			}
			if !yield(strings.TrimRight(address, ","), strings.TrimSpace(descriptor)) {
				return
			}
		}
	}
}
