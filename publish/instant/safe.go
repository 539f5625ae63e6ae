package instant

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// safe writes nodes as they are, without what could run, style or leave the frame. Elements it does not know give way to
// their content. All text and values are escaped, so the result cannot hold "</iframe>". Scripts stay only where the
// rules hold the very same, or, trusted, where a rule of the publisher's own asked for these nodes.
func (b *builder) safe(nodes []*html.Node, trusted bool) string {
	var sb strings.Builder
	for _, n := range nodes {
		b.writeSafe(&sb, n, trusted)
	}
	return strings.TrimSpace(sb.String())
}

func (b *builder) writeSafe(sb *strings.Builder, n *html.Node, trusted bool) {
	known := n.Type == html.ElementNode && embeddable(n.DataAtom)
	switch {
	case sb.Len() > maxOutput: // the article is refused; do not make it any larger
		return
	case n.Type == html.TextNode:
		sb.WriteString(escape(n.Data))
		return
	case n.DataAtom == atom.Script && b.writeScript(sb, n, trusted):
		return
	case n.DataAtom == atom.Iframe && b.source(n) != "" && trusted:
		sb.WriteString(frame{src: b.source(n), width: size(attr(n, "width")), height: size(attr(n, "height"))}.markup())
		return
	case hidden(n.DataAtom) && !known || n.DataAtom == atom.Iframe:
		b.warn(codeLeftOut, "left out: "+n.Data+" cannot stand in an embed", n)
		if n.DataAtom == atom.Iframe && sb.Len() > 0 && sb.String()[sb.Len()-1] != '>' { // the words around it stood apart
			sb.WriteString(" ")
		}
		return
	case known:
		sb.WriteString("<" + n.Data)
		b.writeAttrs(sb, n)
		sb.WriteString(">")
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.writeSafe(sb, c, trusted)
	}
	if known && !void(n.DataAtom) {
		sb.WriteString("</" + n.Data + ">")
	}
}

// writeScript writes a script that may stay.
func (b *builder) writeScript(sb *strings.Builder, n *html.Node, trusted bool) bool {
	src := b.resolve(attr(n, "src"), "http", "https")
	switch {
	case src != "" && (trusted || b.rules.allow[src]):
		sb.WriteString(`<script async src="` + escape(src) + `"></script>`)
		return true
	case n.FirstChild == nil:
		return false
	}
	text := n.FirstChild.Data
	if !trusted && !b.rules.allow[text] || strings.Contains(strings.ToLower(text), "</iframe") {
		return false
	}
	sb.WriteString("<script>" + text + "</script>")
	return true
}

// writeAttrs writes the attributes that lay out a table or tell an embed's script what to show.
func (b *builder) writeAttrs(sb *strings.Builder, n *html.Node) {
	for _, a := range n.Attr {
		value := a.Val
		switch {
		case a.Key == "href" || a.Key == "cite":
			value = b.resolve(value, "http", "https", "mailto")
		case a.Key == "src":
			value = b.source(n)
		case a.Key == "controls": // is there or not, whatever its value
			sb.WriteString(" controls")
			continue
		case a.Key == "class" && inTable(n.DataAtom):
			continue
		case !keptAttr(a.Key) && !dataAttr(a.Key):
			continue
		}
		if value != "" {
			sb.WriteString(" " + a.Key + `="` + escape(value) + `"`)
		}
	}
}

func keptAttr(key string) bool {
	switch key {
	case "class", "colspan", "rowspan", "scope", "alt", "width", "height", "lang", "dir", "datetime", "type":
		return true
	}
	return false
}

// dataAttr reports a data attribute whose name can be written without harm.
func dataAttr(key string) bool {
	name, ok := strings.CutPrefix(key, "data-")
	return ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// inTable reports the parts of a table: their classes are for the source's own style sheet.
func inTable(a atom.Atom) bool {
	return cell(a) || a == atom.Caption || a == atom.Col || a == atom.Colgroup
}

// embeddable reports the elements that may stand inside a frame.
func embeddable(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Audio, atom.B, atom.Blockquote, atom.Br, atom.Caption, atom.Code, atom.Col, atom.Colgroup, atom.Div,
		atom.Em, atom.Figcaption, atom.Figure, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Hr, atom.I,
		atom.Img, atom.Li, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Small, atom.Source, atom.Span, atom.Strong,
		atom.Sub, atom.Sup, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Time, atom.Tr, atom.U,
		atom.Ul, atom.Video:
		return true
	}
	return false
}
