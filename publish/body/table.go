package body

import (
	"golang.org/x/net/html"
)

// tablePart opens a part of a table where it belongs, with the parts around it that the source left out. Outside of a
// table it gives way to its content.
func (w *writer) tablePart(tag string, t html.Token) {
	if !w.inTable() {
		w.imply(tag)
		w.broken = true
		return
	}
	if tag == "caption" && !w.tags[tag] {
		tag, t = "td", html.Token{Data: "td"} // its words are the first row
	}
	switch tag {
	case "caption":
		w.closeTable("table")
		w.push(tag, w.tag(tag, t))
		return
	case "thead", "tbody", "tfoot":
		w.closeTable("table")
		w.group(tag, t)
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
		tag = "td" // a consumer that knows no headings
	}
	w.push(tag, w.tag(tag, t))
	w.put("", false) // an empty cell holds the place of those after it
}

func (w *writer) group(tag string, t html.Token) {
	if !w.tags[tag] {
		tag = "tbody"
	}
	w.push(tag, w.tag(tag, t))
}

// cell opens a cell where content stands in a table and in none of its cells, so that it stays where it is: a browser
// would move it out.
func (w *writer) cell() {
	if tableShape(w.top()) {
		w.tablePart("td", html.Token{Data: "td"})
	}
}

// closeTable closes what stands in the innermost table, up to one of its parts.
func (w *writer) closeTable(parts ...string) {
	for len(w.open) > 0 {
		for _, part := range parts {
			if w.top() == part {
				return
			}
		}
		w.pop()
	}
}

func (w *writer) inTable() bool {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].tag == "table" {
			return true
		}
	}
	return false
}

// top is the innermost open element; empty: there is none.
func (w *writer) top() string {
	if len(w.open) == 0 {
		return ""
	}
	return w.open[len(w.open)-1].tag
}

// tableShape reports the elements that hold other parts of a table and no content.
func tableShape(tag string) bool {
	switch tag {
	case "table", "thead", "tbody", "tfoot", "tr":
		return true
	}
	return false
}

func cellPart(tag string) bool {
	switch tag {
	case "caption", "thead", "tbody", "tfoot", "tr", "td", "th":
		return true
	}
	return false
}
