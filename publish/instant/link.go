package instant

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/inline"
	"github.com/feedwire/feedwire/publish/instant/validate"
)

// link returns the target of the anchor n, or outer if it has none.
func (b *builder) link(n *html.Node, ref, rel string, outer inline.Link) inline.Link {
	if ref == "" {
		return outer // a named anchor
	}
	if strings.HasPrefix(ref, "#") {
		b.warn(codeUnwrapped, "unwrapped: the link points into the page, which the consumer does not show", n)
		return outer
	}
	href := b.resolve(ref, "http", "https", "mailto")
	if href == "" {
		b.warn(codeUnwrapped, "unwrapped: the link is not http, https or mailto", n)
		return outer
	}
	b.size += len(href)
	known := filterWords("facebook nofollow sponsored ugc", func(word string) bool { return hypertext.HasWord(rel, word) })
	return inline.Link{Href: href, Rel: known}
}

// source returns the absolute http or https address of a medium, or an empty string. It prefers the original file of a
// gallery, then a size that is large enough for a cover, then the data attributes of lazy images, whose src is a
// placeholder.
func (b *builder) source(n *html.Node) string {
	refs, sets := make([]string, 0, 16), make([]string, 0, 4) // on the stack
	refs = append(refs, hypertext.Attr(n, "data-orig-file"))
	for _, key := range hypertext.SourceSets {
		ref, width := largest(hypertext.Attr(n, key))
		if width >= validate.MinCover {
			refs = append(refs, ref)
		} else {
			sets = append(sets, ref)
		}
	}
	for _, key := range []string{"data-src", "data-original", "data-lazy-src", "data-lazy", "data-lazyload", "src"} {
		refs = append(refs, hypertext.Attr(n, key))
	}
	for _, ref := range append(refs, sets...) {
		if src := b.resolve(ref, "http", "https"); src != "" {
			if n.DataAtom == atom.Img { // some systems store settings in the fragment
				src, _, _ = strings.Cut(src, "#")
			}
			return src
		}
	}
	return ""
}

// maxImage is the width in pixels beyond which a larger image has no benefit.
const maxImage = 2048

// largest returns the candidate of a srcset with the largest descriptor (HTML 4.8.4.2.1). It returns one beyond maxImage
// only if all are.
func largest(srcset string) (best string, size float64) {
	size = -1
	for ref, descriptor := range hypertext.Candidates(srcset) {
		width := 1.0
		if descriptor != "" {
			width = number(strings.TrimRight(descriptor, "wx"))
		}
		switch {
		case size < 0,
			width <= maxImage && (width > size || size > maxImage),
			width > maxImage && width < size:
			best, size = ref, width
		}
	}
	return best, size
}

// resolve returns the absolute form of an address in the article, see hypertext.Resolve.
func (b *builder) resolve(ref string, schemes ...string) string {
	return hypertext.Resolve(b.base, ref, schemes...)
}
