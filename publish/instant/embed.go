package instant

import (
	"cmp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/rules"
	"github.com/feedwire/feedwire/publish/instant/selector"
)

// frame is an iframe with either an address or content.
type frame struct {
	src           string
	class         string // no-margin or column-width; empty for the default of the consumer
	width, height int    // pixels; 0 if unknown
	inner         string // content; empty if src is set
}

func (f frame) markup() string {
	var sb strings.Builder
	sb.WriteString("<iframe")
	if f.src != "" {
		sb.WriteString(` src="` + hypertext.Escape(f.src) + `"`)
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

// The size of an embed that names none. The consumer refuses embeds without a size.
const defaultWidth, defaultHeight = 560, 315

// interactive lays out an embed: interactive.url or interactive.iframe if the rule has them, else n or the first iframe
// in n.
func (b *builder) interactive(r *rules.Rule, n *html.Node, st style) bool {
	family := "interactive."
	if r.Class.Name == "SocialEmbedRule" {
		family = "socialembed."
	}
	f, at := b.frameOf(r, n, family+"url", family+"iframe", family+"width", family+"height")
	if f.src == "" && f.inner == "" {
		if at != nil && at == n && n.DataAtom == atom.Iframe {
			b.warn(codeLeftOut, "left out: the iframe has neither an http or https address nor content", n)
			return true
		}
		return false
	}
	if f.src != "" {
		f.src = playerURL(f.src)
	}
	for _, class := range []string{"no-margin", "column-width"} {
		if at != nil && hypertext.HasClass(at, class) || b.hasProperty(r, class, n) {
			f.class = class
		}
	}
	if f.src != "" && (f.width == 0 || f.height == 0) {
		f.width = defaultWidth
		if f.height == 0 { // audio players name only a height
			f.height = defaultHeight
		}
		b.warn(codeRepaired, "repaired: the embed has no width or height in pixels and got the default; set both in the source", cmp.Or(at, n))
	}
	b.medium(r, n, at, figure{kind: interactiveKind, markup: f.markup()}, st)
	return true
}

// frameOf returns the frame that the properties of a rule describe, and its element. Without properties for address and
// content, it is n or the first iframe in n.
func (b *builder) frameOf(r *rules.Rule, n *html.Node, url, content, width, height string) (frame, *html.Node) {
	var f frame
	at := n
	if r.Properties[url] == nil && r.Properties[content] == nil {
		if at = b.find(iframes, n); at == nil {
			return f, nil
		}
		f.src = b.source(at)
		f.width, f.height = size(hypertext.Attr(at, "width")), size(hypertext.Attr(at, "height"))
		if f.src == "" {
			f.inner = b.safe(b.inner(at), false)
		}
	}
	if src, from := b.property(r, url, n); src != "" {
		f.src = b.resolve(src, "http", "https")
		at = cmp.Or(from, n)
	}
	if g := r.Properties[content]; g != nil && f.src == "" {
		nodes := b.getNodes(g, n)
		if len(nodes) == 1 && nodes[0].DataAtom == atom.Iframe && b.source(nodes[0]) != "" {
			at = nodes[0]
			f.src = b.source(at)
			f.width, f.height = size(hypertext.Attr(at, "width")), size(hypertext.Attr(at, "height"))
		} else {
			f.inner = b.safe(nodes, !r.Builtin)
		}
		if f.src == "" && f.inner == "" {
			nodes = nil
		}
		for _, taken := range nodes {
			b.shown[taken] = true
			if taken == n || taken.Parent == n && g.Kind == "children" {
				b.shown[n] = true
			}
		}
	}
	if value, _ := b.property(r, width, n); size(value) > 0 {
		f.width = size(value)
	}
	if value, _ := b.property(r, height, n); size(value) > 0 {
		f.height = size(value)
	}
	return f, at
}

var iframes = selector.MustParse("iframe, amp-iframe")

// size parses a length in pixels. It returns 0 for anything else.
func size(s string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(s, "px"))
	if err != nil || n < 0 || n > 10_000 {
		return 0
	}
	return n
}

// inner returns the content of an iframe: that of srcdoc, or its text, which HTML does not parse.
func (b *builder) inner(n *html.Node) []*html.Node {
	text := hypertext.Attr(n, "srcdoc")
	if text == "" {
		if n.FirstChild == nil || n.FirstChild.Type != html.TextNode {
			return hypertext.Children(n)
		}
		text = n.FirstChild.Data
	}
	b.steps += len(text) / 8 // nested frames are parsed once per level
	p, err := hypertext.Parse(text)
	if err != nil {
		return nil
	}
	return hypertext.Children(p.Root)
}

// ad lays out an advertisement, in the header if n is there.
func (b *builder) ad(r *rules.Rule, n *html.Node, st style) bool {
	return b.silentFrame(r, n, st, "ad.", adKind)
}

// analytics lays out a tracker.
func (b *builder) analytics(r *rules.Rule, n *html.Node, st style) bool {
	return b.silentFrame(r, n, st, "analytics.", trackerKind)
}

func (b *builder) silentFrame(r *rules.Rule, n *html.Node, st style, family string, k kind) bool {
	f, at := b.frameOf(r, n, family+"url", family+"embed", family+"width", family+"height")
	if f.src == "" && f.inner == "" {
		return false
	}
	b.markShown(at, n)
	shown := figure{kind: k, markup: f.markup()}
	if hypertext.HasClass(n, "op-ad-default") && k == adKind {
		shown.extra = "op-ad-default"
	}
	if k == adKind && st.in&rules.InHeader != 0 {
		b.header.ads = append(b.header.ads, shown)
		b.size += len(shown.markup)
	} else {
		b.hoist(shown)
	}
	b.remainder(n, st)
	return true
}

// table lays out a table as an embed, because the format has no tables. A table with one cell is unwrapped.
func (b *builder) table(n *html.Node, st style) {
	cells := 0
	for c := n.FirstChild; c != nil && cells < 2; {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			cells++
		}
		if c.DataAtom == atom.Table {
			c = hypertext.After(c, n) // skip the cells of nested tables
		} else {
			c = hypertext.Following(c, n)
		}
	}
	if cells < 2 || st.in&rules.InPullquote != 0 { // the table only draws a frame around text
		b.container(n, paragraph, st)
		return
	}
	b.hoist(figure{kind: interactiveKind, markup: frame{inner: b.safe([]*html.Node{n}, false)}.markup()})
}
