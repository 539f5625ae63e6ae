package instant

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/publish/instant/selector"
)

// frame is an iframe with either an address or content.
type frame struct {
	src           string
	class         string // no-margin or column-width; empty for the default of the consumer
	width, height string // pixels; empty if unknown
	inner         string // content; empty if src is set
}

func (f frame) markup() string {
	return "<iframe" + attr("src", f.src) + attr("class", f.class) + attr("width", f.width) + attr("height", f.height) + ">" +
		f.inner + "</iframe>"
}

// ruleFrame returns a frame of a rules file.
func ruleFrame(f rulesfile.Frame) frame {
	return frame{src: f.Src, width: f.Width, height: f.Height, inner: f.Inner}
}

// frame returns the iframe n without its content.
func (b *builder) frame(n *html.Node) frame {
	return frame{src: b.source(n), width: size(hypertext.Attr(n, "width")), height: size(hypertext.Attr(n, "height"))}
}

// The size of an embed that names none. The consumer refuses embeds without a size.
const defaultWidth, defaultHeight = "560", "315"

// embed returns a layout as an embed: the property url or iframe of the family if the rule has it, else n or the first iframe
// in n.
func embed(family string) layout {
	return func(b *builder, r *rule, n *html.Node, st style) bool {
		f, at := b.frameOf(r, n, family+"url", family+"iframe", family+"width", family+"height")
		if f.src == "" && f.inner == "" {
			if at == n && n.DataAtom == atom.Iframe {
				if n.FirstChild != nil && b.shown[n.FirstChild] {
					return true
				}
				b.warn(codeLeftOut, "left out: the iframe has neither an http or https address nor content", n)
				return true
			}
			return false
		}
		for _, video := range players {
			f.src = video.page.ReplaceAllString(f.src, video.player)
		}
		for _, class := range []string{"no-margin", "column-width"} {
			if f.class == "" && at != nil && hypertext.HasClass(at, class) {
				f.class = class
			}
		}
		if f.src != "" && (f.width == "" || f.height == "") {
			f.width, f.height = defaultWidth, cmp.Or(f.height, defaultHeight) // audio players name only a height
			b.warn(codeRepaired, "repaired: the embed has no width or height in pixels and got the default; set both in the source", cmp.Or(at, n))
		}
		b.medium(r, n, at, figure{kind: interactiveKind, markup: f.markup()}, st)
		return true
	}
}

// frameOf returns the frame that the properties of a rule describe, and its element. Without properties for address and
// content, it is n or the first iframe in n.
func (b *builder) frameOf(r *rule, n *html.Node, url, content, width, height string) (frame, *html.Node) {
	var f frame
	asked := frame{width: size(b.value(r, width, n)), height: size(b.value(r, height, n))} // before content is marked as shown
	for _, class := range []string{"no-margin", "column-width"} {
		if b.value(r, class, n) != "" {
			asked.class = class
		}
	}
	at := n
	if r.Properties[url] == nil && r.Properties[content] == nil {
		if at = b.find(iframes, n); at == nil {
			return f, nil
		}
		if f = b.frame(at); f.src == "" {
			f.inner = b.sanitize(b.inner(at), false)
			b.shown[at] = true
		}
		if at != n {
			b.warnReplaced(r, n, nil, f.src+f.inner)
		}
	}
	if src, from := b.getText(r.Properties[url], n); src != "" {
		f.src = b.resolve(src, "http", "https")
		at = from
		if f.src != "" {
			b.warnReplaced(r, n, from, f.src)
		}
	}
	if g := r.Properties[content]; g != nil && f.src == "" {
		nodes := b.getNodes(g, n)
		only := b.onlyFrame(nodes)
		switch {
		case only == nil:
			at, f.inner = nil, b.sanitize(nodes, !r.Builtin)
		case b.source(only) == "":
			f.inner = b.sanitize(b.inner(only), !r.Builtin)
		default:
			at, f = only, b.frame(only)
		}
		if f.src != "" || f.inner != "" {
			b.warnReplaced(r, n, nil, f.src+f.inner)
			b.markRead(g, n)
		}
	}
	if f.src == "" && f.inner == "" && (r.Properties[url] != nil || r.Properties[content] != nil) {
		return f, nil // another rule may find more
	}
	f.width, f.height, f.class = cmp.Or(asked.width, f.width), cmp.Or(asked.height, f.height), asked.class
	return f, at
}

// onlyFrame returns the iframe in nodes if they show nothing else. Frames cannot be nested.
func (b *builder) onlyFrame(nodes []*html.Node) *html.Node {
	var only *html.Node
	for _, n := range nodes {
		for c := range b.visit(n) {
			switch {
			case c.DataAtom == atom.Iframe && only == nil:
				only = c
			case c.Type == html.TextNode && c.Parent == only || c.Type == html.TextNode && hypertext.Blank(c.Data):
			case c.Type == html.TextNode || visuals.Match(c) || c.DataAtom == atom.Script:
				return nil
			}
		}
	}
	return only
}

var iframes = selector.MustParse("iframe, amp-iframe")

// size returns a length in whole pixels, or an empty string for anything else.
func size(s string) string {
	s = strings.TrimSuffix(s, "px")
	if n, err := strconv.Atoi(s); err != nil || n <= 0 || n > 10_000 {
		return ""
	}
	return strings.TrimLeft(s, "+0")
}

// inner returns the content of an iframe: that of srcdoc, or its text, which HTML does not parse.
func (b *builder) inner(n *html.Node) []*html.Node {
	text := hypertext.Attr(n, "srcdoc")
	if text == "" {
		if n.FirstChild != nil && b.shown[n.FirstChild] {
			return nil
		}
		if n.FirstChild == nil || n.FirstChild.Type != html.TextNode {
			return slices.Collect(n.ChildNodes())
		}
		text = n.FirstChild.Data
	}
	b.steps += len(text) / 8 // nested frames are parsed once per level
	p, err := hypertext.Parse(text)
	if err != nil {
		return nil
	}
	return slices.Collect(p.Root.ChildNodes())
}

// silentFrame returns a layout as an advertisement, in the header if n is there, or as a tracker.
func silentFrame(family string, k kind) layout {
	return func(b *builder, r *rule, n *html.Node, st style) bool {
		f, at := b.frameOf(r, n, family+"url", family+"embed", family+"width", family+"height")
		if f.src == "" && f.inner == "" {
			return false
		}
		b.markShown(at, n)
		if k == adKind && f.src != "" && (f.width == "" || f.height == "") {
			f.width, f.height = rulesfile.AdWidth, rulesfile.AdHeight
			b.warn(codeRepaired, "repaired: the ad has no width or height in pixels and got the default; set both in the source", n)
		}
		shown := figure{kind: k, markup: f.markup()}
		if hypertext.HasClass(n, "op-ad-default") && k == adKind {
			shown.extra = "op-ad-default"
		}
		if k == adKind && st.in&inHeader != 0 {
			b.header.ads = append(b.header.ads, shown)
			b.size += len(shown.markup)
		} else {
			b.hoist(shown)
		}
		b.remainder(n, st)
		return true
	}
}

// table lays out a table as an embed, because the format has no tables. A table with one cell is unwrapped.
func (b *builder) table(_ *rule, n *html.Node, st style) {
	cells := 0
	for c := n.FirstChild; c != nil && cells < 2; {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			cells++
		}
		next := hypertext.Following
		if c.DataAtom == atom.Table {
			next = hypertext.After // skip the cells of nested tables
		}
		c = next(c, n)
	}
	if cells < 2 || st.in&inPullquote != 0 { // the table only draws a frame around text
		b.container(n, paragraph, st)
		return
	}
	b.hoist(figure{kind: interactiveKind, markup: frame{inner: b.sanitize([]*html.Node{n}, false)}.markup()})
}
