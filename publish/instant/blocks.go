package instant

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/inline"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/store/feed"
)

// The tags of blocks besides h1, h2, blockquote and aside.
const (
	paragraph       = "p"
	listItem        = "li" // temporary: items become part of a ul or ol block
	figureTag       = "figure"
	relatedTag      = "ul.op-related-articles"
	caption         = "figcaption" // becomes part of a figure, as do the next three; a credit may also become part of a pull quote
	captionTitle    = "figcaption h1"
	captionSubtitle = "figcaption h2"
	credit          = "cite"
	small           = "small" // copyright in the footer
)

// block is one child of the article's body.
type block struct {
	tag    string
	class  string         // position of a heading
	runs   []inline.Run   // of a text block
	cite   []inline.Run   // of a pull quote
	owner  *html.Node     // outermost source element of a list, source element of a pull quote
	items  [][]inline.Run // of ul and ol
	figure *figure
	links  related
}

// style is the format and position of the text being read.
type style struct {
	tag   string // of the block that the text goes to
	class string // of that block
	in    contexts
	owner *html.Node // as in block
	kind  string     // of the list around an item: ul or ol
	lines bool       // line ends become line breaks, as in pre
	inline.Format
}

// body returns the style outside of all blocks.
func body() style { return style{tag: paragraph, in: inBody} }

// builder lays out the tree of a page as blocks.
type builder struct {
	article  feed.Article
	opts     Options
	rules    *rulesfile.Rules
	classes  map[string]class // a field, because the layouts in the variable lead here
	base     *url.URL
	title    string
	blocks   []*block
	header   header
	footer   footer
	warnings hypertext.Warnings
	cache    map[string][]*rule  // results of candidates by tag and classes
	shown    map[*html.Node]bool // nodes that a rule for another element has shown
	steps    int                 // nodes that properties have visited
	maxSteps int
	depth    int          // nesting of calls of node, including fragments of rules
	mapped   bool         // a rule has mapped the whole page
	size     int          // approximate bytes of markup
	runs     []inline.Run // of the unfinished block
	begun    style        // where the unfinished block began
}

// flow lays out the children of n.
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

// maxWalk bounds the nesting of elements, including the fragments of rules.
const maxWalk = 2 * hypertext.MaxDepth

// node lays out one node with the first rule that applies, or by the default for its element.
func (b *builder) node(n *html.Node, st style) {
	if b.exceeded() || len(b.shown) > 0 && b.shown[n] {
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
		class := b.classes[r.Class]
		if class.contexts&st.in == 0 || !r.Match.Match(n) || r.Contains != nil && b.find(r.Contains, n) == nil {
			continue
		}
		if !mediaClasses[r.Class] && b.isMedium(n) {
			continue
		}
		if class.lay(b, r, n, st) {
			return
		}
		if !r.Builtin && failed == nil {
			failed = r
		}
	}
	if failed != nil {
		b.warn(codeRule, "rule skipped: "+failed.Class+" for "+failed.Selector+" found no value for a property it requires; check its getters", n)
	}
	b.unmatched(n, st)
}

// candidates returns the rules that may match n, highest priority first.
func (b *builder) candidates(n *html.Node) []*rule {
	classes := hypertext.Attr(n, "class")
	key := n.Data + " " + classes
	if list, ok := b.cache[key]; ok {
		return list
	}
	list := b.rules.Candidates(n.Data, classes)
	if len(b.cache) < maxCached && len(key) < 200 {
		b.cache[key] = list
	}
	return list
}

const maxCached = 4096 // entries of builder.cache

// exceeded reports whether the article will be refused, so that its markup need not grow.
func (b *builder) exceeded() bool { return b.size > maxOutput || b.steps > b.maxSteps }

// unmatched lays out an element to which no rule applies.
func (b *builder) unmatched(n *html.Node, st style) {
	switch {
	case n.DataAtom == atom.Object || n.DataAtom == atom.Embed:
		b.object(n, st)
	case hypertext.Hidden[n.DataAtom]:
		b.warn(codeLeftOut, "left out: "+n.Data+" is not allowed in an article; to keep its content, map it with a rule", n)
	case hypertext.BlockLevel[n.DataAtom]:
		b.container(n, paragraph, st)
	case n.FirstChild != nil:
		b.warn(codeUnwrapped, "unwrapped: "+n.Data+" has no counterpart in the format; its content is kept", n)
		b.flow(n, st)
	case strings.Contains(n.Data, "-"): // a custom element, which a script would have filled
		b.warn(codeLeftOut, "left out: "+n.Data+" has no counterpart in the format and no content; to show it, map it with a rule", n)
	}
}

// flowBlock lays out the children of n as a block of their own.
func (b *builder) flowBlock(n *html.Node, st style) {
	b.flush()
	b.flow(n, st)
	b.flush()
}

// container lays out n as a block. Inside a block that may contain text only, n becomes a line of that block.
func (b *builder) container(n *html.Node, tag string, st style) {
	if st.tag != paragraph && st.tag != caption {
		b.blockBreak(st)
		b.flow(n, st)
		b.blockBreak(st)
		return
	}
	if st.tag == paragraph || tag == captionTitle || tag == captionSubtitle || tag == credit {
		st.tag = tag
	}
	b.flowBlock(n, st)
}

func (b *builder) text(s string, st style) {
	if !st.lines {
		b.add(inline.Run{Text: s, Format: st.Format}, st)
		return
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if i > 0 {
			b.add(inline.Run{Breaks: 1, Format: st.Format}, st)
		}
		if i > 0 || len(b.runs) == 0 || b.runs[len(b.runs)-1].Breaks > 0 {
			line = indented(line, i == len(lines)-1)
		}
		b.add(inline.Run{Text: line, Format: st.Format}, st)
	}
}

// indented replaces leading white space by no-break spaces, four for a tab. A blank line stays as it is unless it is
// open, that is, continues in another element.
func indented(line string, open bool) string {
	text := strings.TrimLeft(line, " \t")
	if text == "" && !open {
		return line
	}
	white := strings.ReplaceAll(line[:len(line)-len(text)], "\t", "    ")
	return strings.Repeat("\u00a0", len(white)) + text
}

// blockBreak adds the border of a block inside a text-only block: an empty line in a quote, else a line break.
func (b *builder) blockBreak(st style) {
	height := 1
	if st.tag == "blockquote" || st.tag == "aside" {
		height = 2
	}
	b.add(inline.Run{Breaks: height, Soft: true, Format: st.Format}, st)
}

func (b *builder) add(r inline.Run, st style) {
	if len(b.runs) == 0 {
		b.begun = st
	}
	b.runs = append(b.runs, r)
}

// flush finishes the current block. It drops a block that shows nothing.
func (b *builder) flush() {
	runs := inline.Tidy(b.runs)
	b.runs = b.runs[:0]
	if runs == nil {
		return
	}
	for _, r := range runs {
		b.size += len(r.Text) + len(r.Link.Href) + 16
	}
	if b.begun.tag != listItem {
		b.blocks = append(b.blocks, &block{tag: b.begun.tag, class: b.begun.class, owner: b.begun.owner, runs: runs})
		return
	}
	if last := len(b.blocks) - 1; last >= 0 && b.blocks[last].items != nil && b.blocks[last].owner == b.begun.owner {
		b.blocks[last].items = append(b.blocks[last].items, runs)
		return
	}
	b.blocks = append(b.blocks, &block{tag: b.begun.kind, owner: b.begun.owner, items: [][]inline.Run{runs}})
}

// collect calls lay and returns the blocks that it adds, instead of adding them to the body.
func (b *builder) collect(lay func()) []*block {
	b.flush()
	outer := b.blocks
	b.blocks = nil
	lay()
	b.flush()
	found := b.blocks
	b.blocks = outer
	return found
}

// adds calls lay and reports whether it adds something visible.
func (b *builder) adds(lay func()) bool {
	blocks, runs := len(b.blocks), len(b.runs)
	lay()
	return len(b.blocks) > blocks || len(b.runs) > runs && inline.Tidy(b.runs[runs:]) != nil
}

// markShown keeps n from being shown again, unless n is the element of the rule: the rule decides about its content.
func (b *builder) markShown(n, except *html.Node) {
	if n != nil && n != except {
		b.shown[n] = true
	}
}
