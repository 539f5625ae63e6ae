package body

import (
	"slices"
	"strings"
)

// element is an open element.
type element struct {
	tag    string
	markup string // its start tag
	wait   string // what stands in it so far and cannot be seen: white space, line breaks, the sources of a picture
}

const (
	maxWait   = 256 // bytes that may wait in an element; more of them are something to see
	maxReopen = 8   // inline elements that go on after the one below them ended
)

func (w *writer) push(tag, markup string) {
	w.open = append(w.open, element{tag: tag, markup: markup})
}

// put writes what can be seen, and the elements around it that waited for it.
func (w *writer) put(markup string, inline bool) {
	w.flush()
	if w.broken && w.inline && inline {
		w.out.WriteString(w.lineEnd())
	}
	w.out.WriteString(markup)
	w.inline, w.broken, w.shown = inline, false, image{}
}

// flush writes the start tags that wait.
func (w *writer) flush() {
	for ; w.written < len(w.open); w.written++ {
		e := &w.open[w.written]
		if block(e.tag) {
			w.inline, w.broken = false, false
		}
		w.out.WriteString(e.markup)
		w.out.WriteString(e.wait)
		e.wait = ""
	}
}

// lineEnd separates two blocks that gave way to their content.
func (w *writer) lineEnd() string {
	if w.tags["br"] {
		return "<br/>"
	}
	return " "
}

// space writes what cannot be seen: at once within text, else with what it stands in.
func (w *writer) space(markup string) {
	last := len(w.open) - 1
	switch {
	case last < 0 && w.out.Len() == 0, last >= 0 && tableShape(w.open[last].tag):
	case last < w.written:
		w.out.WriteString(markup)
	case len(w.open[last].wait)+len(markup) > maxWait:
		w.put(markup, true)
	default:
		w.open[last].wait += markup
	}
}

func (w *writer) breakLine(tag string) {
	switch {
	case !w.tags[tag]:
		w.broken = w.broken || tag == "br"
	case tag == "wbr":
		w.space("<wbr/>")
	default:
		w.space("<br/>")
		w.inline, w.broken = false, false
	}
}

func (w *writer) rule() {
	if w.tags["hr"] {
		w.put("<hr/>", false)
	} else {
		w.broken = true
	}
}

// closeTo closes the innermost open element named in tags and all within it, unless one of limits is met first. Inline
// elements that began within an inline one go on after it, as "<b>1<i>2</b>3</i>" is read by browsers.
func (w *writer) closeTo(tags, limits []string) bool {
	at := len(w.open) - 1
	for ; at >= 0 && !slices.Contains(tags, w.open[at].tag); at-- {
		if slices.Contains(limits, w.open[at].tag) {
			return false
		}
	}
	if at < 0 {
		return false
	}
	var again []element
	if within := w.open[at+1:]; !block(w.open[at].tag) && len(within) <= maxReopen &&
		!slices.ContainsFunc(within, func(e element) bool { return !formats(e.tag) }) {
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

// pop closes the innermost element. One in which nothing can be seen was never written; the white space in an inline one
// still separates words.
func (w *writer) pop() {
	last := len(w.open) - 1
	e := w.open[last]
	w.open = w.open[:last]
	if last < w.written {
		w.written = last
		w.out.WriteString("</" + e.tag + ">")
		if block(e.tag) {
			w.inline, w.broken = false, false
		}
		return
	}
	switch {
	case block(e.tag):
		w.broken = true
	case e.wait != "" && formats(e.tag):
		w.space(e.wait)
	}
}

func (w *writer) closeAll() {
	for len(w.open) > 0 {
		w.pop()
	}
}

// imply closes what the start of tag closes without saying so (HTML 13.2.6.4.7).
func (w *writer) imply(tag string) {
	if block(tag) {
		w.closeTo([]string{"p"}, cells())
	}
	switch tag {
	case "li":
		w.closeTo([]string{"li"}, listScope())
	case "dt", "dd":
		w.closeTo([]string{"dt", "dd"}, listScope())
	case "rt", "rp":
		for w.within("ruby") && slices.Contains([]string{"p", "li", "dt", "dd"}, w.open[len(w.open)-1].tag) {
			w.pop()
		}
		w.closeTo([]string{"rt", "rp"}, append(cells(), "ruby"))
	case "a":
		w.closeTo([]string{"a"}, cells())
	case "h1", "h2", "h3", "h4", "h5", "h6":
		w.closeTo(same(tag), cells())
	}
}

// within reports that an element is open, in the same cell of a table.
func (w *writer) within(tags ...string) bool {
	for i := len(w.open) - 1; i >= 0; i-- {
		switch tag := w.open[i].tag; {
		case slices.Contains(tags, tag):
			return true
		case slices.Contains(cells(), tag):
			return false
		}
	}
	return false
}

// same are the elements that an end tag closes: that of any heading closes the one that is open.
func same(tag string) []string {
	if len(tag) == 2 && tag[0] == 'h' && strings.Contains("123456", tag[1:]) {
		return []string{"h1", "h2", "h3", "h4", "h5", "h6"}
	}
	return []string{tag}
}

// scope are the elements that an end tag does not reach out of.
func scope(tag string) []string {
	switch tag {
	case "table":
		return nil
	case "caption", "thead", "tbody", "tfoot", "tr", "td", "th":
		return []string{"table"}
	}
	return cells()
}

func cells() []string { return []string{"td", "th", "caption"} }

func listScope() []string {
	return []string{
		"td", "th", "caption", "ul", "ol", "dl", "blockquote", "figure", "section", "article", "aside", "details", "main",
		"nav", "header", "footer", "figcaption", "summary", "pre",
	}
}
