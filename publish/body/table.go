package body

import (
	"slices"

	"golang.org/x/net/html"
)

// tablePart opens a part of a table in its place, with the parts around it that the source left out. Outside of a table only
// its content stays.
func (w *writer) tablePart(tag string, t html.Token) {
	if !slices.ContainsFunc(w.open, func(e element) bool { return e.tag == "table" }) {
		w.imply(tag)
		w.broken = true
		return
	}
	if tag == "caption" && !w.tags[tag] {
		tag, t = "td", html.Token{Data: "td"} // its content becomes the first row
	}
	switch tag {
	case "caption", "thead", "tbody", "tfoot":
		w.closeTable("table")
		if !w.tags[tag] {
			tag = "tbody"
		}
		w.push(tag, w.tag(tag, t))
		return
	case "tr":
		w.closeTable("table", "thead", "tbody", "tfoot")
	default:
		w.closeTable("table", "thead", "tbody", "tfoot", "tr")
	}
	if w.top() == "table" {
		w.push("tbody", "<tbody>")
	}
	if tag == "tr" {
		w.push(tag, w.tag(tag, t))
		return
	}
	if w.top() != "tr" {
		w.push("tr", "<tr>")
	}
	if !w.tags[tag] {
		tag = "td" // the consumer does not accept headings
	}
	w.push(tag, w.tag(tag, t))
	w.put("", false) // an empty cell keeps the next ones in their columns
}

// cell opens a cell for content that is in a table but in no cell. A browser would move it out of the table.
func (w *writer) cell() {
	if tableShape[w.top()] {
		w.tablePart("td", html.Token{Data: "td"})
	}
}

// closeTable closes elements of the innermost table up to one of its parts.
func (w *writer) closeTable(parts ...string) {
	for len(w.open) > 0 && !slices.Contains(parts, w.top()) {
		w.pop()
	}
}

// top returns the innermost open element, or an empty string.
func (w *writer) top() string {
	if len(w.open) == 0 {
		return ""
	}
	return w.open[len(w.open)-1].tag
}
