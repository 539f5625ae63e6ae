package instant

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/inline"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
)

// passThrough lays out the content of n. A block element still starts and ends a line.
func (b *builder) passThrough(_ *rule, n *html.Node, st style) {
	if hypertext.BlockLevel[n.DataAtom] {
		b.container(n, paragraph, st)
	} else {
		b.flow(n, st)
	}
}

// textNode replaces n by the text of a property, for example an image of an emoji.
func (b *builder) textNode(r *rule, n *html.Node, st style) bool {
	value := b.value(r, "text", n)
	if value == "" {
		return false
	}
	if !r.Builtin {
		b.warnRest(r, n, value, "the TextNodeRule for "+r.Selector+" replaces it by another text")
	}
	b.markRead(r.Properties["text"], n)
	b.text(value, st)
	return true
}

// ignore drops n. It does not warn about elements that show nothing.
func (b *builder) ignore(r *rule, n *html.Node, _ style) {
	switch {
	case hypertext.Hidden[n.DataAtom] || n.DataAtom == atom.Noscript && r.Builtin:
	case !r.Builtin && b.textOf(n) == "" && b.find(visuals, n) == nil:
	case !r.Builtin:
		b.warn(codeIgnored, "left out: the IgnoreRule for "+r.Selector+" matches", n)
	case hypertext.HasAttr(n, "placeholder") || hypertext.HasAttr(n, "fallback"):
		b.warn(codeLeftOut, "left out: the element is a placeholder or a fallback of the element around it", n)
	default:
		b.warn(codeLeftOut, "left out: "+n.Data+" shows no content of the article", n)
	}
}

func (b *builder) anchor(r *rule, n *html.Node, st style) {
	ref, rel := hypertext.Attr(n, "href"), hypertext.Attr(n, "rel")
	b.replace(&ref, r, "anchor.href", n)
	b.replace(&rel, r, "anchor.rel", n)
	st.Link = b.link(n, ref, rel, st.Link)
	b.passThrough(r, n, st)
}

// bold lays out bold text. Google Docs wraps all pasted text in a b element whose style makes it normal.
func (b *builder) bold(r *rule, n *html.Node, st style) {
	st.Bold = st.Bold || !strings.Contains(strings.ReplaceAll(hypertext.Attr(n, "style"), " ", ""), "font-weight:normal")
	b.passThrough(r, n, st)
}

func (b *builder) italic(r *rule, n *html.Node, st style) {
	st.Italic = true
	b.passThrough(r, n, st)
}

func (b *builder) lineBreak(_ *rule, n *html.Node, st style) {
	b.add(inline.Run{Breaks: 1, Format: st.Format}, st)
	b.flow(n, st)
}

func (b *builder) preformatted(_ *rule, n *html.Node, st style) {
	st.lines = true
	b.container(n, paragraph, st)
}

// h1 lays out a heading, or the title of the page, which is not a heading.
func (b *builder) h1(r *rule, n *html.Node, st style) {
	switch {
	case n.DataAtom == atom.Title:
		b.title = cmp.Or(b.title, hypertext.OneLine(b.textOf(n)))
	case st.in&inHeader != 0:
		b.headerTitle(r, n, st)
	default:
		b.heading(r, n, "h1", captionTitle, st)
	}
}

func (b *builder) h2(r *rule, n *html.Node, st style) {
	if st.in&inHeader != 0 {
		b.headerSubtitle(r, n, st)
		return
	}
	b.heading(r, n, "h2", captionSubtitle, st)
}

func (b *builder) heading(r *rule, n *html.Node, tag, captionTag string, st style) {
	st.class = b.place(r, n)
	if st.in&inCaption != 0 {
		tag = captionTag
	}
	b.container(n, tag, st)
}

// place returns the position classes of a heading or a caption, from n and from the properties of the rule.
func (b *builder) place(r *rule, n *html.Node) string {
	return filterWords(rulesfile.Positions, func(name string) bool { return hypertext.HasClass(n, name) || b.value(r, name, n) != "" })
}

// filterWords returns the words of a list for which keep holds. Both lists are separated by spaces.
func filterWords(list string, keep func(word string) bool) string {
	var kept []string
	for word := range strings.FieldsSeq(list) {
		if keep(word) {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

func (b *builder) blockquote(_ *rule, n *html.Node, st style) {
	if st.tag == paragraph {
		st.in = inText
	}
	b.container(n, "blockquote", st)
}

func (b *builder) pullquote(_ *rule, n *html.Node, st style) {
	if st.tag == paragraph {
		st.in = inText | inPullquote
		st.owner = n
	}
	b.container(n, "aside", st)
}

// pullquoteCite adds the source of a pull quote.
func (b *builder) pullquoteCite(_ *rule, n *html.Node, st style) {
	owner := st.owner
	st.tag, st.in, st.owner = credit, inText, nil
	for _, bl := range b.collect(func() { b.flow(n, st) }) {
		if bl.tag == credit {
			if last := len(b.blocks) - 1; last >= 0 && b.blocks[last].tag == "aside" && b.blocks[last].owner == owner && b.blocks[last].cite == nil {
				b.blocks[last].cite = bl.runs
				continue
			}
			bl = &block{tag: "aside", owner: owner, runs: bl.runs}
		}
		b.blocks = append(b.blocks, bl)
	}
}

// list lays out a list. The items of nested lists become items of the outer list.
func (b *builder) list(_ *rule, n *html.Node, st style) {
	switch {
	case st.kind != "":
		b.warn(codeFlattened, "flattened: the list is nested; its items join the outer list", n)
	case n.DataAtom == atom.Ol:
		st.owner, st.kind = n, "ol"
	default:
		st.owner, st.kind = n, "ul"
	}
	b.flowBlock(n, st)
}

func (b *builder) listItem(_ *rule, n *html.Node, st style) {
	st.kind = cmp.Or(st.kind, "ul")
	st.tag, st.in = listItem, inText|inListItem
	b.flowBlock(n, st)
}

// raised returns a layout of an element with raised or lowered text, which the format does not have.
func raised(s *hypertext.Script) layout {
	return always(func(b *builder, _ *rule, n *html.Node, st style) {
		start := len(b.runs)
		b.flow(n, st)
		if start <= len(b.runs) { // else n has blocks
			inline.Raise(s, b.runs[:start], b.runs[start:])
		}
	})
}
