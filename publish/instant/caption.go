package instant

import (
	"strings"

	"golang.org/x/net/html"
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

// captioned moves captions into the first figure that shows something and has none. Captions without a figure become paragraphs.
func captioned(blocks []*block) []*block {
	rest := make([]*block, 0, len(blocks))
	var l legend
	target := -1
	for _, bl := range blocks {
		switch {
		case bl.tag == figureTag && target < 0 && bl.figure.kind < adKind && bl.figure.legend.empty():
			target = len(rest)
			rest = append(rest, bl)
		case !l.take(bl):
			rest = append(rest, bl)
		}
	}
	switch {
	case l.empty():
	case target >= 0:
		rest[target].figure.legend = l.tidied()
	default:
		rest = append(rest, l.paragraphs()...)
	}
	return rest
}

// take adds a block to the legend if it is part of one.
func (l *legend) take(bl *block) bool {
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
	*class = or(*class, bl.class)
	return true
}

// tidied is the legend in its one form: a title with nothing else is the text.
func (l legend) tidied() legend {
	l.title, l.subtitle, l.text, l.credit = tidy(l.title), tidy(l.subtitle), tidy(l.text), tidy(l.credit)
	if l.text == nil && l.subtitle == nil && l.credit == nil {
		l.text, l.title = l.title, nil
		l.class = or(l.class, l.titleClass)
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

// caption lays out the words of a figure.
func (b *builder) caption(r *rule, n *html.Node, st style) bool {
	st = style{tag: caption, class: b.place(r, n), in: inText | inCaption, format: st.format}
	b.flush()
	b.flow(n, st)
	b.flush()
	return true
}

// captionCredit lays out who made what a figure shows.
func (b *builder) captionCredit(r *rule, n *html.Node, st style) bool {
	if st.tag != paragraph && st.tag != caption {
		b.flow(n, st)
		return true
	}
	st.tag, st.class, st.in = credit, b.place(r, n), inText|inCaption
	b.flush()
	b.flow(n, st)
	b.flush()
	return true
}

// words lays out what a property finds as a part of the caption of a figure.
func (b *builder) words(r *rule, key string, n *html.Node, tag string) {
	g := r.props[key]
	if g == nil {
		return
	}
	nodes := b.nodes(g, n)
	b.flush()
	b.flowAll(nodes, style{tag: tag, in: inText | inCaption})
	b.flush()
	for _, at := range nodes {
		b.take(at, n)
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
