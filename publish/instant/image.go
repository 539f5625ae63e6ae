package instant

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// image shows an image: the one that image.url finds, or without that property the element itself.
func (b *builder) image(r *rule, n *html.Node, st style) bool {
	src, from := b.source(n), n
	if r.props["image.url"] != nil {
		src, from = b.value(r, "image.url", n)
		src = b.resolve(src, "http", "https")
	}
	if from == nil {
		from = n
	}
	switch {
	case src == "" && from == n && n.DataAtom == atom.Img:
		if b.twin(n) == nil {
			b.warn(codeLeftOut, "left out: an image without a usable address", n)
		}
		return true
	case src == "":
		return false
	case pixel(from):
		b.warn(codeLeftOut, "left out: a tracking pixel", from)
	case lazy(from) && b.twin(from) != nil:
	case r.builtin && from.DataAtom == atom.Img && icon(from): // AMP names proportions
		b.icon(from, st)
	default:
		b.shown(r, n, from, figure{mode: b.mode(r, n), src: src, small: smallImage(from), own: b.resolve(attr(from, "src"), "http", "https"),
			alt: described(attr(from, "alt")), markup: `<img src="` + escape(src) + `">`}, st)
		return true
	}
	b.takeMedium(from, n)
	b.rest(n, st)
	return true
}

// takeMedium notes that the medium at from is shown. Where a link told of it, the link's words stay, and the image in it
// is a small copy.
func (b *builder) takeMedium(from, n *html.Node) {
	if from == nil || from.DataAtom != atom.A {
		b.take(from, n)
		return
	}
	for c := from.FirstChild; c != nil; c = following(c, from) {
		if b.steps++; c.DataAtom == atom.Img {
			b.take(c, n)
		}
	}
}

// shown lays out a figure for n whose medium was found at from: the figure, its caption by the properties of the rule,
// and what else n holds, of which text is the caption.
func (b *builder) shown(r *rule, n, from *html.Node, f figure, st style) {
	if n.FirstChild == nil && len(r.props) == 0 {
		b.hoist(f)
		return
	}
	found := b.gather(func() {
		b.hoist(f)
		b.takeMedium(from, n)
		b.words(r, "image.caption", n, caption)
		b.words(r, "image.credit", n, credit)
		b.words(r, "caption.title", n, captionTitle)
		b.words(r, "caption.credit", n, credit)
		b.rest(n, st)
	})
	found = joined(found)
	for i := range found {
		if found[i].tag == paragraph && n.DataAtom != atom.A {
			found[i].tag = caption
		}
	}
	b.blocks = append(b.blocks, captioned(found)...)
}

// rest lays out what a rule for media has not taken of n.
func (b *builder) rest(n *html.Node, st style) {
	if !b.taken[n] {
		b.content(n, st)
	}
}

// content lays out what stands in a medium besides its sources: captions, and text for those who cannot play it.
func (b *builder) content(n *html.Node, st style) {
	if n.DataAtom == atom.Iframe { // what a frame holds is for those who cannot show frames
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Source && c.DataAtom != atom.Track && c.DataAtom != atom.Param {
			b.node(c, style{tag: paragraph, in: inBody | inFigure, format: st.format})
		}
	}
}

// pixel reports an image that only counts readers.
func pixel(n *html.Node) bool {
	return (attr(n, "width") == "1" || attr(n, "width") == "0") && (attr(n, "height") == "1" || attr(n, "height") == "0")
}

// icon reports an image that is part of a line of text, or stands for who wrote it, by what it says of its size.
func icon(n *html.Node) bool {
	width, height := number(attr(n, "width")), number(attr(n, "height"))
	side := max(width, height)
	return width > 0 && height > 0 && (side <= maxIcon || side <= maxAvatar && hasClass(n, "avatar"))
}

const maxIcon, maxAvatar = 32, 96 // pixels

// icon puts the words of an icon in its place.
func (b *builder) icon(n *html.Node, st style) {
	b.warn(codeLeftOut, "left out: an icon, only its words can stand in a text", n)
	b.text(attr(n, "alt"), st)
}

// described is an alternative text that says something of its image to those who see it: more than a word or the name of a
// file. Else it is empty.
func described(alt string) string {
	alt = oneLine(alt)
	at := strings.LastIndexByte(alt, '.')
	file := at > 0 && len(alt)-at <= len(".jpeg") && !strings.Contains(alt[at:], " ") && at < len(alt)-1
	sentence := strings.Contains(alt, " ") || len(alt) > 3*utf8.UTFMax && alt[0] >= utf8.RuneSelf // some write no spaces
	if file || !sentence {
		return ""
	}
	return alt
}

// lazy reports an image that a script fills in, so that src may hold a placeholder.
func lazy(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "class" && strings.Contains(strings.ToLower(a.Val), "lazy") || strings.HasPrefix(a.Key, "data-src") ||
			strings.HasPrefix(a.Key, "data-lazy") || a.Key == "src" && strings.HasPrefix(a.Val, "data:") {
			return true
		}
	}
	return false
}

// twin is the image in the noscript element after n that is shown where no script fills n in; nil: there is none.
func (b *builder) twin(n *html.Node) *html.Node {
	s := next(n)
	if p := n.Parent; s == nil && p != nil && (p.DataAtom == atom.Picture || p.DataAtom == atom.A) {
		s = next(p)
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

// smallImage reports an image that says it is too small for a cover.
func smallImage(n *html.Node) bool {
	for _, key := range []string{"data-srcset", "data-lazy-srcset", "srcset"} {
		if _, width := largest(attr(n, key)); width >= coverSize {
			return false
		}
	}
	width, height := number(attr(n, "width")), number(attr(n, "height"))
	return width > 0 && width < coverSize || height > 0 && height < coverSize
}

const coverSize = 1024 // pixels, at least, of a cover's sides

// number is a number of pixels; 0 where s is none.
func number(s string) float64 {
	f, err := strconv.ParseFloat(strings.TrimSuffix(s, "px"), 64)
	if err != nil || f < 0 || f > 1e6 {
		return 0
	}
	return f
}
