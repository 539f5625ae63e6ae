package instant

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/instant/rules"
)

// legend is the caption of a figure.
type legend struct {
	class                                string
	titleClass, subtitleClass, citeClass string
	title, subtitle, text, credit        []run
}

func (l *legend) empty() bool {
	return l.title == nil && l.subtitle == nil && l.text == nil && l.credit == nil
}

// moveCaptions moves captions into the first visible figure without a caption. If there is none, they become paragraphs.
func moveCaptions(blocks []*block) []*block {
	rest := make([]*block, 0, len(blocks))
	var l legend
	target := -1
	for _, bl := range blocks {
		switch {
		case bl.tag == figureTag && target < 0 && bl.figure.kind < adKind && bl.figure.legend.empty():
			target = len(rest)
			rest = append(rest, bl)
		case !l.add(bl):
			rest = append(rest, bl)
		}
	}
	switch {
	case l.empty():
	case target >= 0:
		rest[target].figure.legend = l.tidy()
	default:
		rest = append(rest, l.paragraphs()...)
	}
	return rest
}

// add appends a block to the legend and reports whether the block is part of a caption.
func (l *legend) add(bl *block) bool {
	to, class := &l.text, &l.class
	switch bl.tag {
	case caption:
	case captionTitle:
		to, class = &l.title, &l.titleClass
	case captionSubtitle:
		to, class = &l.subtitle, &l.subtitleClass
	case credit:
		to, class = &l.credit, &l.citeClass
	default:
		return false
	}
	if *to != nil {
		*to = append(*to, run{breaks: 1})
	}
	*to = append(*to, bl.runs...)
	*class = cmp.Or(*class, bl.class)
	return true
}

// tidy normalises the legend. A title without anything else becomes the text.
func (l legend) tidy() legend {
	l.title, l.subtitle, l.text, l.credit = tidy(l.title), tidy(l.subtitle), tidy(l.text), tidy(l.credit)
	if l.text == nil && l.subtitle == nil && l.credit == nil {
		l.text, l.title = l.title, nil
		l.class = cmp.Or(l.class, l.titleClass)
	}
	return l
}

func (l legend) paragraphs() []*block {
	var list []*block
	for _, runs := range [][]run{l.title, l.subtitle, l.text, l.credit} {
		if runs = tidy(runs); runs != nil {
			list = append(list, &block{tag: paragraph, runs: runs})
		}
	}
	return list
}

// caption lays out the caption of a figure.
func (b *builder) caption(r *rules.Rule, n *html.Node, st style) {
	st = style{tag: caption, class: b.place(r, n), in: rules.InText | rules.InCaption, format: st.format}
	b.flush()
	b.flow(n, st)
	b.flush()
}

// captionCredit lays out the credit of a figure.
func (b *builder) captionCredit(r *rules.Rule, n *html.Node, st style) {
	if st.tag != paragraph && st.tag != caption {
		b.flow(n, st)
		return
	}
	st.tag, st.class, st.in = credit, b.place(r, n), rules.InText|rules.InCaption
	b.flush()
	b.flow(n, st)
	b.flush()
}

// captionPart lays out the value of a property as a part of a caption.
func (b *builder) captionPart(r *rules.Rule, key string, n *html.Node, tag string) {
	g := r.Properties[key]
	if g == nil {
		return
	}
	nodes := b.getNodes(g, n)
	b.flush()
	b.flowAll(nodes, style{tag: tag, in: rules.InText | rules.InCaption})
	b.flush()
	for _, at := range nodes {
		b.markShown(at, n)
	}
}

func (l *legend) write(sb *strings.Builder) {
	if l.empty() {
		return
	}
	sb.WriteString("<figcaption")
	writeClass(sb, l.class)
	sb.WriteString(">")
	writePlaced(sb, "h1", l.titleClass, l.title)
	writePlaced(sb, "h2", l.subtitleClass, l.subtitle)
	writeRuns(sb, l.text)
	writePlaced(sb, "cite", l.citeClass, l.credit)
	sb.WriteString("</figcaption>")
}
