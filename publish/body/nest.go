package body

import (
	"slices"
)

// element is an open element.
type element struct {
	tag    string
	markup string // its start tag
	wait   string // its invisible content so far: white space, line breaks, the sources of a picture
}

const (
	maxWait   = 256 // bytes of invisible content; more count as visible
	maxReopen = 8   // inline elements that are reopened after an element around them ended
)

func (w *writer) push(tag, markup string) {
	w.open = append(w.open, element{tag: tag, markup: markup})
}

// put writes visible content, and first the elements around it that waited for it.
func (w *writer) put(markup string, inline bool) {
	w.flush()
	if w.broken && w.inline && inline && !w.inMath() {
		w.out.WriteString(w.lineEnd())
	}
	w.out.WriteString(markup)
	w.inline, w.broken, w.shown = inline, false, image{}
}

// flush writes the waiting start tags.
func (w *writer) flush() {
	for ; w.written < len(w.open); w.written++ {
		e := &w.open[w.written]
		if block[e.tag] {
			w.inline, w.broken = false, false
		}
		w.out.WriteString(e.markup)
		w.out.WriteString(e.wait)
		e.wait = ""
	}
}

// lineEnd returns what separates the contents of two removed blocks.
func (w *writer) lineEnd() string {
	if w.tags["br"] {
		return "<br/>"
	}
	return " "
}

// space writes invisible content: within text at once, otherwise together with the element around it.
func (w *writer) space(markup string) {
	last := len(w.open) - 1
	switch {
	case last < 0 && w.out.Len() == 0, last >= 0 && tableShape[w.open[last].tag]:
	case last < w.written:
		w.out.WriteString(markup)
	case len(w.open[last].wait)+len(markup) > maxWait:
		w.put(markup, true)
	default:
		w.open[last].wait += markup
	}
}

// breakLine writes br, wbr or hr.
func (w *writer) breakLine(tag string) {
	switch {
	case !w.tags[tag]:
		w.broken = w.broken || tag != "wbr"
	case tag == "hr":
		w.put("<hr/>", false)
	case tag == "wbr":
		w.space("<wbr/>")
	default:
		w.space("<br/>")
		w.inline, w.broken = false, false
	}
}

// closeTo closes the innermost open element named in tags and everything in it, unless it meets one of limits first. Inline
// elements opened in an inline element continue after it, as browsers read "<b>1<i>2</b>3</i>".
func (w *writer) closeTo(tags []string, limits map[string]bool) bool {
	at := len(w.open) - 1
	for ; at >= 0 && !slices.Contains(tags, w.open[at].tag); at-- {
		if limits[w.open[at].tag] {
			return false
		}
	}
	if at < 0 {
		return false
	}
	var again []element
	if within := w.open[at+1:]; !block[w.open[at].tag] && len(within) <= maxReopen &&
		!slices.ContainsFunc(within, func(e element) bool { return !inline[e.tag] }) {
		again = slices.Clone(within)
	}
	for len(w.open) > at {
		w.pop()
	}
	for _, e := range again {
		w.push(e.tag, e.markup)
	}
	return true
}

// pop closes the innermost element. An element without visible content was never written, but white space in an inline element
// still separates words.
func (w *writer) pop() {
	last := len(w.open) - 1
	e := w.open[last]
	w.open = w.open[:last]
	if last < w.written {
		w.written = last
		w.out.WriteString("</" + e.tag + ">")
		if block[e.tag] {
			w.inline, w.broken = false, false
		}
		return
	}
	switch {
	case block[e.tag]:
		w.broken = true
	case e.wait != "" && inline[e.tag]:
		w.space(e.wait)
	}
}

// imply closes the elements that a start tag closes implicitly (HTML 13.2.6.4.7).
func (w *writer) imply(tag string) {
	if block[tag] {
		w.closeTo([]string{"p"}, cell)
	}
	switch tag {
	case "li":
		w.closeTo([]string{"li"}, listScope)
	case "dt", "dd":
		w.closeTo([]string{"dt", "dd"}, listScope)
	case "rt", "rp":
		for w.within("ruby") && slices.Contains([]string{"p", "li", "dt", "dd"}, w.open[len(w.open)-1].tag) {
			w.pop()
		}
		w.closeTo([]string{"rt", "rp"}, rubyScope)
	case "a":
		w.closeTo([]string{"a"}, cell)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		w.closeTo(headings, cell)
	}
}

// within reports whether one of the elements is open in the same table cell.
func (w *writer) within(tags ...string) bool {
	for i := len(w.open) - 1; i >= 0; i-- {
		switch tag := w.open[i].tag; {
		case slices.Contains(tags, tag):
			return true
		case cell[tag]:
			return false
		}
	}
	return false
}

var headings = []string{"h1", "h2", "h3", "h4", "h5", "h6"}

// same returns the elements that an end tag closes. The end tag of any heading closes the open heading.
func same(tag string) []string {
	if slices.Contains(headings, tag) {
		return headings
	}
	return []string{tag}
}

// scope returns the elements that an end tag has no effect beyond.
func scope(tag string) map[string]bool {
	switch {
	case tag == "table":
		return nil
	case tablePart[tag]:
		return tableScope
	case mathPart[tag]:
		return mathScope
	}
	return cell
}
