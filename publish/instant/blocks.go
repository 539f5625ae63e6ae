package instant

import (
	"net/url"
	"strings"
)

// The names that a block can have besides h1, h2, blockquote and aside, which are written as they are called.
const (
	paragraph = "p"
	listItem  = "li" // only while it is filled: items end up in a block ul or ol
	caption   = "figcaption"
	figureTag = "figure"
)

// block is one child of the article's body.
type block struct {
	tag    string
	runs   []run   // of a text block
	list   *node   // of ul and ol: the outermost list element in the source
	items  [][]run // of ul and ol
	figure figure
}

// style is what surrounds the text being read.
type style struct {
	tag   string // the block that it goes to
	list  *node  // of a list item: the outermost list it stands in; nil for an item without a list
	kind  string // of a list item: ul or ol
	lines bool   // line ends are line breaks, as in pre
	format
}

// builder lays a tree out as blocks.
type builder struct {
	base     *url.URL
	blocks   []block
	warnings []Warning
	size     int   // bytes of markup so far, about
	runs     []run // of the block being filled
	at       style // where that block began
}

// flow lays out the children of n one after the other.
func (b *builder) flow(n *node, st style) {
	for i := 0; i < len(n.children); i++ {
		if b.size > maxOutput {
			return // the article is refused; do not make it any larger
		}
		child := n.children[i]
		if script := scriptAfter(n.children, i); script > 0 {
			b.embed(child, n.children[script])
			i = script
			continue
		}
		b.node(child, st)
	}
}

// node lays out one node. Where the format has no such element, its content takes its place.
func (b *builder) node(n *node, st style) {
	switch n.tag {
	case "":
		b.text(n.text, st)
	case "br":
		b.add(run{breaks: 1, format: st.format}, st)
	case "a":
		st.href = b.link(n, st.href)
		b.flow(n, st)
	case "b", "strong":
		st.bold = true
		b.flow(n, st)
	case "i", "em":
		st.italic = true
		b.flow(n, st)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		b.container(n, heading(n.tag), st)
	case "blockquote", "aside":
		b.container(n, n.tag, st)
	case "ul", "ol", "menu", "dir":
		b.listOf(n, st)
	case "li":
		b.item(n, st)
	case "pre", "xmp":
		st.lines = true
		b.container(n, paragraph, st)
	case figureTag:
		b.figure(n, st)
	case "figcaption":
		b.container(n, caption, st)
	case "img", "iframe", "video", "audio", "table":
		b.media(n, st)
	default:
		b.other(n, st)
	}
}

// other lays out the elements that the format does not have.
func (b *builder) other(n *node, st style) {
	switch {
	case n.tag == "div" && hasClass(n, "wp-caption"):
		b.figure(n, st)
	case hidden(n.tag):
		b.warn("left out: "+n.tag+" is not part of an article", n)
	case blockLevel(n.tag):
		b.container(n, paragraph, st)
	default:
		if !plainInline(n.tag) {
			b.warn("unwrapped: "+n.tag+" has no counterpart, its content stays", n)
		}
		b.flow(n, st)
	}
}

// container lays out n as a block of its own. Inside a block that holds text only, n is a line of that block.
func (b *builder) container(n *node, tag string, st style) {
	if st.tag != paragraph && st.tag != caption {
		b.soft(st)
		b.flow(n, st)
		b.soft(st)
		return
	}
	if st.tag == paragraph {
		st.tag = tag
	}
	b.flush()
	b.flow(n, st)
	b.flush()
}

// listOf lays out a list. Lists within a list become part of it: items hold text only.
func (b *builder) listOf(n *node, st style) {
	if st.list == nil {
		st.list = n
		st.kind = "ul"
		if n.tag == "ol" {
			st.kind = "ol"
		}
	} else {
		b.warn("flattened: a list within a list item", n)
	}
	b.flush()
	b.flow(n, st)
	b.flush()
}

func (b *builder) item(n *node, st style) {
	if st.kind == "" {
		st.kind = "ul"
	}
	st.tag = listItem
	b.flush()
	b.flow(n, st)
	b.flush()
}

func (b *builder) text(s string, st style) {
	if !st.lines {
		b.add(run{text: s, format: st.format}, st)
		return
	}
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.add(run{breaks: 1, format: st.format}, st)
		}
		b.add(run{text: line, format: st.format}, st)
	}
}

// soft notes the border of a block within a block that holds text only: an empty line in a quote, else a new line.
func (b *builder) soft(st style) {
	height := 1
	if st.tag == "blockquote" || st.tag == "aside" {
		height = 2
	}
	b.add(run{breaks: height, soft: true, format: st.format}, st)
}

func (b *builder) add(r run, st style) {
	if len(b.runs) == 0 {
		b.at = st
	}
	b.runs = append(b.runs, r)
}

// flush ends the block being filled. A block in which nothing can be seen is forgotten.
func (b *builder) flush() {
	runs := tidy(b.runs)
	b.runs = nil
	if runs == nil {
		return
	}
	for _, r := range runs {
		b.size += len(r.text) + len(r.href) + 16
	}
	if b.at.tag != listItem {
		b.blocks = append(b.blocks, block{tag: b.at.tag, runs: runs})
		return
	}
	if last := len(b.blocks) - 1; last >= 0 && b.blocks[last].items != nil && b.blocks[last].list == b.at.list {
		b.blocks[last].items = append(b.blocks[last].items, runs)
		return
	}
	b.blocks = append(b.blocks, block{tag: b.at.kind, list: b.at.list, items: [][]run{runs}})
}

// heading is the heading that the format has for one of HTML's six.
func heading(tag string) string {
	if tag == "h1" {
		return tag
	}
	return "h2"
}

// hidden reports the elements whose content a reader does not see.
func hidden(tag string) bool {
	switch tag {
	case "script", "style", "template", "title", "meta", "link", "base", "head", "embed", "param", "source", "track", "area",
		"input", "svg":
		return true
	}
	return false
}

// plainInline reports elements that change the look of text in a way the format does not have and nobody will miss.
func plainInline(tag string) bool {
	switch tag {
	case "abbr", "acronym", "bdi", "bdo", "big", "cite", "code", "dfn", "font", "html", "ins", "kbd", "label", "mark",
		"nobr", "noscript", "picture", "q", "samp", "small", "span", "time", "tt", "u", "var", "wbr":
		return true
	}
	return false
}

func hasClass(n *node, name string) bool {
	for _, class := range strings.Fields(n.attr("class")) {
		if class == name {
			return true
		}
	}
	return false
}
