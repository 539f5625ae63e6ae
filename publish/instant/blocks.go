package instant

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The names that a block can have besides h1, h2, blockquote and aside, which are written as they are called.
const (
	paragraph       = "p"
	listItem        = "li" // only while it is filled: items end up in a block ul or ol
	figureTag       = "figure"
	relatedTag      = "ul.op-related-articles"
	caption         = "figcaption" // these four become part of a figure, credit of a pull quote too
	captionTitle    = "figcaption h1"
	captionSubtitle = "figcaption h2"
	credit          = "cite"
	small           = "small" // copyright, in the footer
)

// block is one child of the article's body.
type block struct {
	tag    string
	class  string     // of a heading: its place
	runs   []run      // of a text block
	cite   []run      // of a pull quote
	owner  *html.Node // of a list: its outermost element in the source; of a pull quote: its element
	items  [][]run    // of ul and ol
	figure *figure
	links  related
}

// style is what surrounds the text being read.
type style struct {
	tag   string // the block that it goes to
	class string // of that block
	in    context
	owner *html.Node // see block
	kind  string     // of a list item: ul or ol
	lines bool       // line ends are line breaks, as in pre
	format
}

// body is the style outside of all blocks.
func body() style { return style{tag: paragraph, in: inBody} }

// builder lays a tree out as blocks.
type builder struct {
	rules    *Rules
	base     *url.URL
	title    string
	blocks   []*block
	start    int // in blocks, of what is being gathered
	header   header
	footer   footer
	warnings []Warning
	seen     map[string][]*rule  // by tag and classes
	taken    map[*html.Node]bool // already shown by a rule that looked ahead
	steps    int                 // nodes looked at by properties
	maxSteps int
	depth    int   // of node within node, fragments of rules included
	whole    bool  // a rule has mapped the whole page
	size     int   // bytes of markup so far, about
	runs     []run // of the block being filled
	at       style // where that block began
}

// flow lays out the children of n one after the other.
func (b *builder) flow(n *html.Node, st style) {
	if n.DataAtom == atom.Iframe {
		b.flowAll(b.inner(n), st)
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.node(c, st)
	}
}

func (b *builder) flowAll(nodes []*html.Node, st style) {
	for _, n := range nodes {
		b.node(n, st)
	}
}

// maxWalk bounds how deep elements of the source and of the fragments of rules may lie within each other.
const maxWalk = 2 * maxDepth

// node lays out one node: as the first rule says that finds what it needs, else as its element is commonly meant.
func (b *builder) node(n *html.Node, st style) {
	if b.exceeded() || len(b.taken) > 0 && b.taken[n] {
		return
	}
	if n.Type == html.TextNode {
		b.text(n.Data, st)
		return
	}
	if b.depth++; b.depth > maxWalk {
		b.steps = b.maxSteps + 1
	}
	defer func() { b.depth-- }()
	var failed *rule
	for _, r := range b.candidates(n) {
		if r.class.in&st.in == 0 || !r.at.match(n) || r.contains != nil && b.find(r.contains, n) == nil {
			continue
		}
		if r.class.apply(b, r, n, st) {
			return
		}
		if !r.builtin && failed == nil {
			failed = r
		}
	}
	if failed != nil {
		b.warn(codeRule, failed.class.name+" for "+failed.selector+" did not find what it needs here", n)
	}
	b.other(n, st)
}

// exceeded reports that the article is refused; what is made of it need not grow any larger.
func (b *builder) exceeded() bool { return b.size > maxOutput || b.steps > b.maxSteps }

// other lays out an element that no rule means.
func (b *builder) other(n *html.Node, st style) {
	switch {
	case hidden(n.DataAtom):
		b.warn(codeLeftOut, "left out: "+n.Data+" is not part of an article", n)
	case blockLevel(n.DataAtom):
		b.container(n, paragraph, st)
	case n.FirstChild != nil:
		b.warn(codeUnwrapped, "unwrapped: "+n.Data+" has no counterpart, its content stays", n)
		b.flow(n, st)
	case strings.Contains(n.Data, "-"): // a script of the page would have made something of it
		b.warn(codeLeftOut, "left out: "+n.Data+" has no counterpart and no content", n)
	}
}

// container lays out n as a block of its own. Inside a block that holds text only, n is a line of that block.
func (b *builder) container(n *html.Node, tag string, st style) {
	if st.tag != paragraph && st.tag != caption {
		b.soft(st)
		b.flow(n, st)
		b.soft(st)
		return
	}
	if st.tag == paragraph || tag == captionTitle || tag == captionSubtitle || tag == credit {
		st.tag = tag
	}
	b.flush()
	b.flow(n, st)
	b.flush()
}

func (b *builder) text(s string, st style) {
	if !st.lines {
		b.add(run{text: s, format: st.format}, st)
		return
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if i > 0 {
			b.add(run{breaks: 1, format: st.format}, st)
		}
		if i > 0 || len(b.runs) == 0 || b.runs[len(b.runs)-1].breaks > 0 {
			line = indented(line, i == len(lines)-1)
		}
		b.add(run{text: line, format: st.format}, st)
	}
}

// indented keeps the white space that a line begins with, a tab as four columns. An open line goes on in another element.
func indented(line string, open bool) string {
	text := strings.TrimLeft(line, " \t")
	if text == "" && !open {
		return line
	}
	white := strings.ReplaceAll(line[:len(line)-len(text)], "\t", "    ")
	return strings.Repeat("\u00a0", len(white)) + text
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
	b.runs = b.runs[:0]
	if runs == nil {
		return
	}
	for _, r := range runs {
		b.size += len(r.text) + len(r.link.href) + 16
	}
	if b.at.tag != listItem {
		b.blocks = append(b.blocks, &block{tag: b.at.tag, class: b.at.class, owner: b.at.owner, runs: runs})
		return
	}
	if last := len(b.blocks) - 1; last >= 0 && b.blocks[last].items != nil && b.blocks[last].owner == b.at.owner {
		b.blocks[last].items = append(b.blocks[last].items, runs)
		return
	}
	b.blocks = append(b.blocks, &block{tag: b.at.kind, owner: b.at.owner, items: [][]run{runs}})
}

// gather lays out what lay adds and takes it back out of the body.
func (b *builder) gather(lay func()) []*block {
	b.flush()
	start, outer := len(b.blocks), b.start
	b.start = start
	lay()
	b.flush()
	b.start = outer
	found := slices.Clone(b.blocks[start:])
	b.blocks = b.blocks[:start]
	return found
}

// take notes that n is shown and must not be shown again. The element that a rule stands for is no such case: what
// becomes of its content is up to the rule.
func (b *builder) take(n, except *html.Node) {
	if n != nil && n != except {
		b.taken[n] = true
	}
}

// hidden reports the elements whose content a reader does not see.
func hidden(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Template, atom.Title, atom.Meta, atom.Link, atom.Base, atom.Head, atom.Embed,
		atom.Param, atom.Source, atom.Track, atom.Area, atom.Input, atom.Svg:
		return true
	}
	return false
}
