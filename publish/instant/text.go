package instant

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/rules"
)

// passThrough lays out the content of n. A block element still starts and ends a line.
func (b *builder) passThrough(n *html.Node, st style) {
	if hypertext.BlockLevel(n.DataAtom) {
		b.container(n, paragraph, st)
	} else {
		b.flow(n, st)
	}
}

// textNode replaces n by the text of a property, for example an image of an emoji.
func (b *builder) textNode(r *rules.Rule, n *html.Node, st style) bool {
	value, _ := b.property(r, "text", n)
	if value == "" {
		return false
	}
	b.text(value, st)
	return true
}

// ignore drops n. It does not warn about elements that show nothing.
func (b *builder) ignore(r *rules.Rule, n *html.Node) {
	switch {
	case hypertext.Hidden(n.DataAtom) || n.DataAtom == atom.Noscript && r.Builtin:
	case !r.Builtin:
		b.warn(codeIgnored, "left out: the IgnoreRule for "+r.Selector+" matches", n)
	case hypertext.HasAttr(n, "placeholder") || hypertext.HasAttr(n, "fallback"):
		b.warn(codeLeftOut, "left out: the element is a placeholder or a fallback of the element around it", n)
	default:
		b.warn(codeLeftOut, "left out: "+n.Data+" shows no content of the article", n)
	}
}

// anchor lays out the content of n as a link.
func (b *builder) anchor(r *rules.Rule, n *html.Node, st style) {
	ref, rel := hypertext.Attr(n, "href"), hypertext.Attr(n, "rel")
	if g := r.Properties["anchor.href"]; g != nil {
		ref, _ = b.getText(g, n)
	}
	if g := r.Properties["anchor.rel"]; g != nil {
		rel, _ = b.getText(g, n)
	}
	st.link = b.link(n, ref, rel, st.link)
	b.passThrough(n, st)
}

func (b *builder) bold(n *html.Node, st style) {
	if !strings.Contains(strings.ReplaceAll(hypertext.Attr(n, "style"), " ", ""), "font-weight:normal") { // Google Docs wraps pasted text in such an element
		st.bold = true
	}
	b.passThrough(n, st)
}

func (b *builder) h1(r *rules.Rule, n *html.Node, st style) {
	if n.DataAtom == atom.Title { // the title of the page, not a heading
		b.title = cmp.Or(b.title, hypertext.OneLine(b.textOf(n)))
		return
	}
	if st.in&rules.InHeader != 0 {
		b.headerTitle(n, st)
		return
	}
	b.heading(r, n, "h1", captionTitle, st)
}

func (b *builder) h2(r *rules.Rule, n *html.Node, st style) {
	if st.in&rules.InHeader != 0 {
		b.headerSubtitle(n)
		return
	}
	b.heading(r, n, "h2", captionSubtitle, st)
}

func (b *builder) heading(r *rules.Rule, n *html.Node, tag, captionTag string, st style) {
	st.class = b.place(r, n)
	if st.in&rules.InCaption != 0 {
		tag = captionTag
	}
	b.container(n, tag, st)
}

// place returns the position classes of a heading or a caption, from n and from the properties of the rule.
func (b *builder) place(r *rules.Rule, n *html.Node) string {
	var list []string
	for name := range strings.FieldsSeq(rules.Positions) {
		g := r.Properties[name]
		found := hypertext.HasClass(n, name)
		if g != nil && !found {
			value, _ := b.getText(g, n)
			found = value != ""
		}
		if found {
			list = append(list, name)
		}
	}
	return strings.Join(list, " ")
}

func (b *builder) blockquote(n *html.Node, st style) {
	if st.tag == paragraph {
		st.in = rules.InText
	}
	b.container(n, "blockquote", st)
}

func (b *builder) pullquote(n *html.Node, st style) {
	if st.tag == paragraph {
		st.in = rules.InText | rules.InPullquote
		st.owner = n
	}
	b.container(n, "aside", st)
}

// pullquoteCite adds the source of a pull quote.
func (b *builder) pullquoteCite(n *html.Node, st style) {
	owner := st.owner
	st.tag, st.in, st.owner = credit, rules.InText, nil
	said := b.collect(func() { b.flow(n, st) })
	for _, bl := range said {
		last := len(b.blocks) - 1
		if bl.tag != credit {
			b.blocks = append(b.blocks, bl)
		} else if last >= 0 && b.blocks[last].tag == "aside" && b.blocks[last].owner == owner && b.blocks[last].cite == nil {
			b.blocks[last].cite = bl.runs
		} else {
			b.blocks = append(b.blocks, &block{tag: "aside", owner: owner, runs: bl.runs})
		}
	}
}

// list lays out a list. The items of nested lists become items of the outer list.
func (b *builder) list(n *html.Node, st style) {
	if st.kind == "" {
		st.owner = n
		st.kind = "ul"
		if n.DataAtom == atom.Ol {
			st.kind = "ol"
		}
	} else {
		b.warn(codeFlattened, "flattened: the list is nested; its items join the outer list", n)
	}
	b.flush()
	b.flow(n, st)
	b.flush()
}

func (b *builder) listItem(n *html.Node, st style) {
	if st.kind == "" {
		st.kind = "ul"
	}
	st.tag, st.in = listItem, rules.InText|rules.InListItem
	b.flush()
	b.flow(n, st)
	b.flush()
}
