package instant

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/instant/inline"
)

// legend is the caption of a figure: its parts in the order of output.
type legend [4]struct {
	class string
	runs  []inline.Run
}

// legendTags are the tags of the blocks that become the parts of a legend.
var legendTags = []string{captionTitle, captionSubtitle, caption, credit}

// The indexes of two parts.
const legendTitle, legendText = 0, 2

func (l *legend) empty() bool {
	return l[0].runs == nil && l[1].runs == nil && l[2].runs == nil && l[3].runs == nil
}

// moveCaptions moves captions into the first visible figure without a caption. If there is none, they become paragraphs.
func moveCaptions(blocks []*block) []*block {
	rest := make([]*block, 0, len(blocks))
	var l legend
	var target *figure
	for _, bl := range blocks {
		if target == nil && bl.tag == figureTag && bl.figure.kind < adKind && bl.figure.legend.empty() {
			target = bl.figure
		}
		if !l.add(bl) {
			rest = append(rest, bl)
		}
	}
	switch {
	case l.empty():
	case target != nil:
		target.legend = l.tidy()
	default:
		rest = append(rest, l.paragraphs()...)
	}
	return rest
}

// captionParagraphs turns paragraphs into captions.
func captionParagraphs(blocks []*block) {
	for _, bl := range blocks {
		if bl.tag == paragraph {
			bl.tag = caption
		}
	}
}

// add appends a block to the legend and reports whether the block is part of a caption.
func (l *legend) add(bl *block) bool {
	i := slices.Index(legendTags, bl.tag)
	if i < 0 {
		return false
	}
	l[i].runs = inline.Join(l[i].runs, bl.runs, 1)
	l[i].class = cmp.Or(l[i].class, bl.class)
	return true
}

// tidy normalises the legend. A title without anything else becomes the text.
func (l legend) tidy() legend {
	others := false
	for i := range l {
		l[i].runs = inline.Tidy(l[i].runs)
		others = others || i != legendTitle && l[i].runs != nil
	}
	if title := &l[legendTitle]; !others {
		l[legendText].runs, title.runs = title.runs, nil
		l[legendText].class = cmp.Or(l[legendText].class, title.class)
	}
	return l
}

func (l legend) paragraphs() []*block {
	var list []*block
	for _, part := range l {
		if runs := inline.Tidy(part.runs); runs != nil {
			list = append(list, &block{tag: paragraph, runs: runs})
		}
	}
	return list
}

func (b *builder) caption(r *rule, n *html.Node, st style) {
	b.flowBlock(n, style{tag: caption, class: b.place(r, n), in: inText | inCaption, Format: st.Format})
}

func (b *builder) captionCredit(r *rule, n *html.Node, st style) {
	if st.tag != paragraph && st.tag != caption {
		b.flow(n, st)
		return
	}
	st.tag, st.class, st.in = credit, b.place(r, n), inText|inCaption
	b.flowBlock(n, st)
}

// captionParts are the properties whose values become parts of a caption. The caption is the last: it may contain the others.
var captionParts = []struct{ property, tag string }{
	{"image.credit", credit}, {"caption.title", captionTitle}, {"caption.credit", credit}, {"image.caption", caption},
}

// captionProperties lays out the values of the properties for captions.
func (b *builder) captionProperties(r *rule, n *html.Node) {
	for _, part := range captionParts {
		g := r.Properties[part.property]
		if g == nil || b.shown[n] && len(g.Attribute) == 0 && b.elementOf(g, n) == n { // another part is all of n
			continue
		}
		nodes := b.getNodes(g, n)
		b.flush()
		for _, at := range nodes {
			if at == n { // its own rule is the one being applied
				b.flow(at, style{tag: part.tag, in: inText | inCaption})
			} else {
				b.node(at, style{tag: part.tag, in: inText | inCaption})
			}
			b.shown[at] = true
		}
		b.flush()
	}
}

func (l *legend) write(sb *strings.Builder) {
	if l.empty() {
		return
	}
	sb.WriteString("<figcaption" + attr("class", l[legendText].class) + ">")
	for i, tag := range []string{"h1", "h2", "", "cite"} {
		writeElement(sb, tag, l[i].class, l[i].runs)
	}
	sb.WriteString("</figcaption>")
}
