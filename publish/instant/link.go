package instant

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// link is where the anchor n leads, or outer where it leads nowhere.
func (b *builder) link(n *html.Node, ref, rel string, outer link) link {
	if ref == "" {
		return outer // a named place, not a link
	}
	if strings.HasPrefix(ref, "#") {
		b.warn(codeUnwrapped, "unwrapped: a link within the page", n)
		return outer
	}
	href := b.resolve(ref, "http", "https", "mailto")
	if href == "" {
		b.warn(codeUnwrapped, "unwrapped: a link that is not http, https or mailto", n)
		return outer
	}
	b.size += len(href)
	var words []string
	for _, word := range []string{"facebook", "nofollow", "sponsored", "ugc"} {
		if hasWord(rel, word) {
			words = append(words, word)
		}
	}
	return link{href: href, rel: strings.Join(words, " ")}
}

// source is the absolute http or https address of a medium, from the first attribute that holds one; empty: none.
// Pages that load images late keep the address in a data attribute and a placeholder in src; galleries keep that of
// the uncut file beside it. Of the sizes that an image comes in, one that fits a cover goes before src.
func (b *builder) source(n *html.Node) string {
	if src := b.resolve(attr(n, "data-orig-file"), "http", "https"); src != "" {
		return whole(n, src)
	}
	for _, key := range []string{"data-srcset", "data-lazy-srcset", "srcset"} {
		if ref, width := largest(attr(n, key)); width >= coverSize {
			if src := b.resolve(ref, "http", "https"); src != "" {
				return whole(n, src)
			}
		}
	}
	for _, key := range []string{"data-src", "data-original", "data-lazy-src", "data-lazy", "data-lazyload", "src"} {
		if src := b.resolve(attr(n, key), "http", "https"); src != "" {
			return whole(n, src)
		}
	}
	for _, key := range []string{"data-srcset", "data-lazy-srcset", "srcset"} {
		ref, _ := largest(attr(n, key))
		if src := b.resolve(ref, "http", "https"); src != "" {
			return whole(n, src)
		}
	}
	return ""
}

// whole is the address of an image without its fragment, in which systems keep notes of their own.
func whole(n *html.Node, src string) string {
	if n.DataAtom == atom.Img {
		src, _, _ = strings.Cut(src, "#")
	}
	return src
}

// maxImage is the width in pixels above which an image is larger than any reader of it shows.
const maxImage = 2048

// largest is the address with the largest descriptor of a srcset (HTML 4.8.4.2.1), and that descriptor. One above maxImage
// is taken only where all are.
func largest(srcset string) (best string, size float64) {
	size = -1
	for candidate := range strings.SplitSeq(srcset, ", ") {
		fields := strings.Fields(strings.Trim(candidate, ", \t\n"))
		if len(fields) == 0 {
			continue
		}
		width := 1.0
		if len(fields) > 1 {
			width = number(strings.TrimRight(fields[1], "wx"))
		}
		switch {
		case size < 0,
			width <= maxImage && (width > size || size > maxImage),
			width > maxImage && width < size:
			best, size = fields[0], width
		}
	}
	return best, size
}

// resolve makes ref absolute by the address of the article, as Resolve does.
func (b *builder) resolve(ref string, schemes ...string) string {
	return Resolve(b.base, ref, schemes...)
}

// Resolve makes ref, the value of an attribute that holds an address, absolute by base (nil: it must be so already). It is
// empty where ref cannot be read, is longer than 2048 bytes or has none of the schemes.
func Resolve(base *url.URL, ref string, schemes ...string) string {
	if strings.ContainsAny(ref, "\t\n") {
		ref = strings.NewReplacer("\t", "", "\n", "").Replace(ref) // as browsers do
	}
	ref = strings.TrimSpace(ref)
	if ref == "" || len(ref) > maxURL {
		return ""
	}
	u, err := url.Parse(ref)
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
	s := u.String()
	if strings.Contains(u.Host, ":") {
		if _, err := url.Parse(s); err != nil { // "//::0" is read where "https://::0" is not
			return ""
		}
	}
	if len(s) > maxURL {
		return ""
	}
	return s
}
