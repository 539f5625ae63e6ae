package instant

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/validate"
)

// image lays out an image: image.url if the rule has it, else n.
func (b *builder) image(r *rule, n *html.Node, st style) bool {
	src, from := b.source(n), n
	if g := r.Properties["image.url"]; g != nil {
		src, from = b.getText(g, n)
		if src = b.resolve(src, "http", "https"); src != "" {
			b.warnReplaced(r, n, from, src)
		}
		from = cmp.Or(from, n)
	}
	switch {
	case src == "" && r.Properties["image.url"] == nil && n.DataAtom == atom.Img:
		if b.twin(n) == nil {
			b.warn(codeLeftOut, "left out: the image has no http or https address", n)
		}
		return true
	case src == "":
		return false
	case pixel(from):
		b.warn(codeLeftOut, "left out: the image is a tracking pixel", from)
	case lazy(from) && b.twin(from) != nil:
	case r.Builtin && from.DataAtom == atom.Img && icon(from): // sizes of amp-img are proportions
		b.warn(codeLeftOut, "left out: the image is an icon; its alternative text replaces it", from)
		b.text(hypertext.Attr(from, "alt"), st)
	default:
		b.medium(r, n, from, figure{mode: b.mode(r, n), src: src, small: smallImage(from), own: b.resolve(hypertext.Attr(from, "src"), "http", "https"),
			alt: descriptive(hypertext.Attr(from, "alt")), markup: image(src)}, st)
		if from != n && b.isMedium(from) {
			b.fallback(from, st)
		}
		return true
	}
	b.markMediumShown(from, n)
	b.remainder(n, st)
	return true
}

// markMediumShown keeps the medium at from from being shown again. If from is a link to the medium, only the thumbnails
// in it are marked, so that its text stays.
func (b *builder) markMediumShown(from, n *html.Node) {
	if from == nil || from.DataAtom != atom.A {
		b.markShown(from, n)
		return
	}
	for c := range b.visit(from) {
		if c.DataAtom == atom.Img {
			b.markShown(c, n)
		}
	}
}

// medium lays out the figure f, found at from inside n, with captions from the properties of the rule and from the rest
// of n.
func (b *builder) medium(r *rule, n, from *html.Node, f figure, st style) {
	if n.FirstChild == nil && len(r.Properties) == 0 {
		b.hoist(f)
		return
	}
	found := joinCompanions(b.collect(func() {
		b.hoist(f)
		b.markMediumShown(from, n)
		b.captionProperties(r, n)
		b.remainder(n, st)
	}))
	if n.DataAtom != atom.A {
		captionParagraphs(found)
	}
	b.blocks = append(b.blocks, moveCaptions(found)...)
}

// remainder lays out n unless the rule for a medium has shown all of it.
func (b *builder) remainder(n *html.Node, st style) {
	if !b.shown[n] {
		b.fallback(n, st)
	}
}

// fallback lays out the content of a medium besides its sources: captions, and text for browsers that cannot play it.
func (b *builder) fallback(n *html.Node, st style) {
	if n.DataAtom == atom.Iframe {
		if b.source(n) == "" { // else its content is for browsers without frames
			b.flow(n, st)
		}
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Source && c.DataAtom != atom.Track && c.DataAtom != atom.Param {
			b.node(c, style{tag: paragraph, in: inBody | inFigure, Format: st.Format})
		}
	}
}

// pixel reports whether an image is a tracking pixel.
func pixel(n *html.Node) bool {
	width, height := hypertext.Attr(n, "width"), hypertext.Attr(n, "height")
	return (width == "0" || width == "1") && (height == "0" || height == "1")
}

// icon reports whether the size of an image is that of an icon or an avatar.
func icon(n *html.Node) bool {
	width, height := dimensions(n)
	side := max(width, height)
	return width > 0 && height > 0 && (side <= maxIcon || side <= maxAvatar && hypertext.HasClass(n, "avatar"))
}

const maxIcon, maxAvatar = 32, 96 // pixels

// descriptive returns an alternative text if it is useful as a caption: more than one word, and not a file name. Else it
// returns an empty string.
func descriptive(alt string) string {
	alt = hypertext.OneLine(alt)
	at := strings.LastIndexByte(alt, '.')
	file := at > 0 && len(alt)-at <= len(".jpeg") && !strings.Contains(alt[at:], " ") && at < len(alt)-1
	sentence := strings.Contains(alt, " ") || len(alt) > 3*utf8.UTFMax && alt[0] >= utf8.RuneSelf // some scripts write no spaces
	if file || !sentence {
		return ""
	}
	return alt
}

// lazy reports whether a script loads the image, so that src may be a placeholder.
func lazy(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "class" && strings.Contains(strings.ToLower(a.Val), "lazy") || strings.HasPrefix(a.Key, "data-src") ||
			strings.HasPrefix(a.Key, "data-lazy") || a.Key == "src" && strings.HasPrefix(a.Val, "data:") {
			return true
		}
	}
	return false
}

// twin returns the image in the noscript element after n, which replaces n in browsers without scripts, or nil.
func (b *builder) twin(n *html.Node) *html.Node {
	s := hypertext.NextElement(n)
	if p := n.Parent; s == nil && p != nil && (p.DataAtom == atom.Picture || p.DataAtom == atom.A) {
		s = hypertext.NextElement(p)
	}
	if s == nil || s.DataAtom != atom.Noscript {
		return nil
	}
	for c := s.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Img && !pixel(c) && b.source(c) != "" {
			return c
		}
	}
	return nil
}

// smallImage reports whether an image says that it is too small for a cover.
func smallImage(n *html.Node) bool {
	for _, key := range hypertext.SourceSets {
		if _, width := largest(hypertext.Attr(n, key)); width >= validate.MinCover {
			return false
		}
	}
	width, height := dimensions(n)
	return width > 0 && width < validate.MinCover || height > 0 && height < validate.MinCover
}

// dimensions returns the width and height that an image has in its markup, in pixels; 0 if unknown.
func dimensions(n *html.Node) (width, height float64) {
	return number(hypertext.Attr(n, "width")), number(hypertext.Attr(n, "height"))
}

// number parses a number of pixels. It returns 0 for anything else.
func number(s string) float64 {
	f, err := strconv.ParseFloat(strings.TrimSuffix(s, "px"), 64)
	if err != nil || f < 0 || f > 1e6 {
		return 0
	}
	return f
}
