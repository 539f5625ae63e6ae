package instant

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// passThrough leaves the element out and its content in. A block still begins and ends a line.
func (b *builder) passThrough(_ *rule, n *html.Node, st style) bool {
	if blockLevel(n.DataAtom) {
		b.container(n, paragraph, st)
	} else {
		b.flow(n, st)
	}
	return true
}

// textNode puts a text in place of the element: an emoji in place of its image.
func (b *builder) textNode(r *rule, n *html.Node, st style) bool {
	value, _ := b.value(r, "text", n)
	if value == "" {
		return false
	}
	b.text(value, st)
	return true
}

// ignore leaves the element out with all it holds. What nobody would see goes without a word.
func (b *builder) ignore(r *rule, n *html.Node, _ style) bool {
	switch {
	case hidden(n.DataAtom) || n.DataAtom == atom.Noscript && r.builtin:
	case !r.builtin:
		b.warn(codeIgnored, "left out: the rule for "+r.selector+" says so", n)
	case hasAttr(n, "placeholder") || hasAttr(n, "fallback"):
		b.warn(codeLeftOut, "left out: it is shown only where what it stands in is not", n)
	default:
		b.warn(codeLeftOut, "left out: "+n.Data+" shows nothing of the article", n)
	}
	return true
}

// anchor gives the text in n a link. One that leads nowhere is unwrapped: its text stays plain.
func (b *builder) anchor(r *rule, n *html.Node, st style) bool {
	ref, rel := attr(n, "href"), attr(n, "rel")
	if g := r.props["anchor.href"]; g != nil {
		ref, _ = b.read(g, n)
	}
	if g := r.props["anchor.rel"]; g != nil {
		rel, _ = b.read(g, n)
	}
	st.link = b.link(n, ref, rel, st.link)
	return b.passThrough(r, n, st)
}

func (b *builder) bold(r *rule, n *html.Node, st style) bool {
	if !strings.Contains(strings.ReplaceAll(attr(n, "style"), " ", ""), "font-weight:normal") { // pasted documents stand in one
		st.bold = true
	}
	return b.passThrough(r, n, st)
}

func (b *builder) italic(r *rule, n *html.Node, st style) bool {
	st.italic = true
	return b.passThrough(r, n, st)
}

func (b *builder) lineBreak(_ *rule, n *html.Node, st style) bool {
	b.add(run{breaks: 1, format: st.format}, st)
	b.flow(n, st)
	return true
}

func (b *builder) paragraph(_ *rule, n *html.Node, st style) bool {
	b.container(n, paragraph, st)
	return true
}

// preformatted keeps the lines of its text.
func (b *builder) preformatted(_ *rule, n *html.Node, st style) bool {
	st.lines = true
	b.container(n, paragraph, st)
	return true
}

func (b *builder) h1(r *rule, n *html.Node, st style) bool {
	if n.DataAtom == atom.Title { // of the page, not of the text
		b.title = or(b.title, oneLine(b.textOf(n)))
		return true
	}
	if st.in&inHeader != 0 {
		return b.headerTitle(r, n, st)
	}
	return b.heading(r, n, "h1", captionTitle, st)
}

func (b *builder) h2(r *rule, n *html.Node, st style) bool {
	if st.in&inHeader != 0 {
		return b.headerSubtitle(r, n, st)
	}
	return b.heading(r, n, "h2", captionSubtitle, st)
}

func (b *builder) heading(r *rule, n *html.Node, tag, captionTag string, st style) bool {
	st.class = b.place(r, n)
	if st.in&inCaption != 0 {
		tag = captionTag
	}
	b.container(n, tag, st)
	return true
}

// place are the classes that say where a heading or a caption stands: those that the rule's properties find, and those
// that n has.
func (b *builder) place(r *rule, n *html.Node) string {
	var list []string
	for name := range strings.FieldsSeq(places) {
		g := r.props[name]
		found := hasClass(n, name)
		if g != nil && !found {
			value, _ := b.read(g, n)
			found = value != ""
		}
		if found {
			list = append(list, name)
		}
	}
	return strings.Join(list, " ")
}

func (b *builder) blockquote(_ *rule, n *html.Node, st style) bool {
	if st.tag == paragraph {
		st.in = inText
	}
	b.container(n, "blockquote", st)
	return true
}

func (b *builder) pullquote(_ *rule, n *html.Node, st style) bool {
	if st.tag == paragraph {
		st.in = inText | inPullquote
		st.owner = n
	}
	b.container(n, "aside", st)
	return true
}

// pullquoteCite ends a pull quote with the name of who said it.
func (b *builder) pullquoteCite(_ *rule, n *html.Node, st style) bool {
	owner := st.owner
	st.tag, st.in, st.owner = credit, inText, nil
	said := b.gather(func() { b.flow(n, st) })
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
	return true
}

// list lays out a list. Lists within a list become part of it: items hold text only.
func (b *builder) list(_ *rule, n *html.Node, st style) bool {
	if st.kind == "" {
		st.owner = n
		st.kind = "ul"
		if n.DataAtom == atom.Ol {
			st.kind = "ol"
		}
	} else {
		b.warn(codeFlattened, "flattened: a list within a list item", n)
	}
	b.flush()
	b.flow(n, st)
	b.flush()
	return true
}

func (b *builder) listItem(_ *rule, n *html.Node, st style) bool {
	if st.kind == "" {
		st.kind = "ul"
	}
	st.tag, st.in = listItem, inText|inListItem
	b.flush()
	b.flow(n, st)
	b.flush()
	return true
}
