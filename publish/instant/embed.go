package instant

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// frame is an iframe: a document of its own, named by its address or given with it.
type frame struct {
	src           string
	class         string // no-margin or column-width; empty: the consumer's way
	width, height int    // pixels; 0: not said
	inner         string // markup, where there is no src
}

func (f frame) markup() string {
	var sb strings.Builder
	sb.WriteString("<iframe")
	if f.src != "" {
		sb.WriteString(` src="` + escape(f.src) + `"`)
	}
	writeClass(&sb, f.class)
	if f.width > 0 {
		sb.WriteString(` width="` + strconv.Itoa(f.width) + `"`)
	}
	if f.height > 0 {
		sb.WriteString(` height="` + strconv.Itoa(f.height) + `"`)
	}
	sb.WriteString(">" + f.inner + "</iframe>")
	return sb.String()
}

// The size of an embed that names none: without one the consumer refuses it.
const defaultWidth, defaultHeight = 560, 315

// interactive shows a document within the article: what interactive.url or interactive.iframe find, or without those
// properties the iframe that n is or holds.
func (b *builder) interactive(r *rule, n *html.Node, st style) bool {
	family := "interactive."
	if r.class.name == "SocialEmbedRule" {
		family = "socialembed."
	}
	f, at := b.frameOf(r, n, family+"url", family+"iframe", family+"width", family+"height")
	if f.src == "" && f.inner == "" {
		if at != nil && at == n && n.DataAtom == atom.Iframe {
			b.warn(codeLeftOut, "left out: a frame without a usable address or content", n)
			return true
		}
		return false
	}
	if f.src != "" {
		f.src = player(f.src)
	}
	for _, class := range []string{"no-margin", "column-width"} {
		if at != nil && hasClass(at, class) || b.exists(r, class, n) {
			f.class = class
		}
	}
	if f.src != "" && (f.width == 0 || f.height == 0) {
		f.width = defaultWidth
		if f.height == 0 { // players of sound name it alone
			f.height = defaultHeight
		}
		b.warn(codeRepaired, "repaired: an embed without a size in pixels was given one", nodeOr(at, n))
	}
	b.shown(r, n, at, figure{kind: interactiveKind, markup: f.markup()}, st)
	return true
}

func nodeOr(one, other *html.Node) *html.Node {
	if one != nil {
		return one
	}
	return other
}

// frameOf is the frame that the properties of a rule describe. Without those of its address and content it is the first
// iframe that n is or holds. The element is the one it was taken from.
func (b *builder) frameOf(r *rule, n *html.Node, url, content, width, height string) (frame, *html.Node) {
	var f frame
	at := n
	if r.props[url] == nil && r.props[content] == nil {
		if at = b.find(iframes, n); at == nil {
			return f, nil
		}
		f.src = b.source(at)
		f.width, f.height = size(attr(at, "width")), size(attr(at, "height"))
		if f.src == "" {
			f.inner = b.safe(b.inner(at), false)
		}
	}
	if src, from := b.value(r, url, n); src != "" {
		f.src = b.resolve(src, "http", "https")
		at = nodeOr(from, n)
	}
	if g := r.props[content]; g != nil && f.src == "" {
		nodes := b.nodes(g, n)
		if len(nodes) == 1 && nodes[0].DataAtom == atom.Iframe && b.source(nodes[0]) != "" {
			at = nodes[0]
			f.src = b.source(at)
			f.width, f.height = size(attr(at, "width")), size(attr(at, "height"))
		} else {
			f.inner = b.safe(nodes, !r.builtin)
		}
		if f.src == "" && f.inner == "" {
			nodes = nil
		}
		for _, taken := range nodes {
			b.taken[taken] = true
			if taken == n || taken.Parent == n && g.kind == "children" {
				b.taken[n] = true
			}
		}
	}
	if value, _ := b.value(r, width, n); size(value) > 0 {
		f.width = size(value)
	}
	if value, _ := b.value(r, height, n); size(value) > 0 {
		f.height = size(value)
	}
	return f, at
}

var iframes = &selector{ways: []way{{{tag: "iframe"}}, {{tag: "amp-iframe"}}}}

// size reads a length in pixels; 0: it is none.
func size(s string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(s, "px"))
	if err != nil || n < 0 || n > 10_000 {
		return 0
	}
	return n
}

// inner is the content of an iframe: that of srcdoc, else what stands in it, which HTML reads as text.
func (b *builder) inner(n *html.Node) []*html.Node {
	text := attr(n, "srcdoc")
	if text == "" {
		if n.FirstChild == nil || n.FirstChild.Type != html.TextNode {
			return children(n)
		}
		text = n.FirstChild.Data
	}
	b.steps += len(text) / 8 // frames within frames are read again and again
	p, err := parse(text)
	if err != nil {
		return nil
	}
	return children(p.root)
}

// ad shows an advertisement, in the header's place for them where it stands in the header.
func (b *builder) ad(r *rule, n *html.Node, st style) bool {
	return b.silentFrame(r, n, st, "ad.", adKind)
}

// analytics counts readers without showing anything.
func (b *builder) analytics(r *rule, n *html.Node, st style) bool {
	return b.silentFrame(r, n, st, "analytics.", trackerKind)
}

func (b *builder) silentFrame(r *rule, n *html.Node, st style, family string, k kind) bool {
	f, at := b.frameOf(r, n, family+"url", family+"embed", family+"width", family+"height")
	if f.src == "" && f.inner == "" {
		return false
	}
	b.take(at, n)
	shown := figure{kind: k, markup: f.markup()}
	if hasClass(n, "op-ad-default") && k == adKind {
		shown.extra = "op-ad-default"
	}
	if k == adKind && st.in&inHeader != 0 {
		b.header.ads = append(b.header.ads, shown)
		b.size += len(shown.markup)
	} else {
		b.hoist(shown)
	}
	b.rest(n, st)
	return true
}

// table keeps a table in a frame: the format has none. A table of one cell is only a box around its content.
func (b *builder) table(_ *rule, n *html.Node, st style) bool {
	cells := 0
	for c := n.FirstChild; c != nil && cells < 2; {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			cells++
		}
		if c.DataAtom == atom.Table {
			c = after(c, n) // its cells are its own
		} else {
			c = following(c, n)
		}
	}
	if cells < 2 || st.in&inPullquote != 0 { // a frame around words
		b.container(n, paragraph, st)
		return true
	}
	b.hoist(figure{kind: interactiveKind, markup: frame{inner: b.safe([]*html.Node{n}, false)}.markup()})
	return true
}
