package instant

import (
	"slices"
	"strings"
)

// interactive is the class of a figure that shows a document of its own.
const interactive = "op-interactive"

// scriptAfter is the index of the script that belongs to the quote at i, as posts of social networks are embedded: a
// blockquote with a class, and as the next element a script that brings it to life. 0: there is none.
func scriptAfter(nodes []*node, i int) int {
	if nodes[i].tag != "blockquote" || nodes[i].attr("class") == "" {
		return 0
	}
	for j := i + 1; j < len(nodes); j++ {
		switch {
		case nodes[j].tag == "script" && nodes[j].attr("src") != "":
			return j
		case nodes[j].tag != "" || !blank(nodes[j].text):
			return 0
		}
	}
	return 0
}

// embed keeps a quote and its script together in a frame.
func (b *builder) embed(quote, script *node) {
	src := b.resolve(script.attr("src"), "http", "https")
	if src == "" {
		b.warn("left out: a script without a usable address", script)
		b.node(quote, style{tag: paragraph})
		return
	}
	markup := b.safe([]*node{quote}) + `<script async src="` + escape(src) + `"></script>`
	b.hoist(figure{class: interactive, markup: "<iframe>" + markup + "</iframe>"})
}

// inlineFrame keeps a frame that holds its document itself.
func (b *builder) inlineFrame(n *node) {
	var markup string
	if len(n.children) > 0 {
		inner, err := parse(n.children[0].text)
		if err == nil {
			markup = b.safe(inner.children)
		}
	}
	if markup == "" {
		b.warn("left out: a frame without a usable address or content", n)
		return
	}
	b.hoist(figure{class: interactive, markup: "<iframe>" + markup + "</iframe>"})
}

// table keeps a table in a frame: the format has none. A table of one cell is only a box around its content.
func (b *builder) table(n *node, st style) {
	cells := 0
	count(n, func(n *node) bool { return n.tag == "td" || n.tag == "th" }, &cells)
	if cells <= 1 {
		b.container(n, paragraph, st)
		return
	}
	b.hoist(figure{class: interactive, markup: "<iframe>" + b.safe([]*node{n}) + "</iframe>"})
}

func count(n *node, match func(*node) bool, found *int) {
	for _, child := range n.children {
		if match(child) {
			*found++
		}
		count(child, match, found)
	}
}

// safe writes nodes as they are, without what could run, style or leave the frame. Elements it does not know give way to
// their content. All text and values are escaped, so the result cannot hold "</iframe>".
func (b *builder) safe(nodes []*node) string {
	var sb strings.Builder
	b.writeSafe(&sb, nodes)
	return strings.TrimSpace(sb.String())
}

func (b *builder) writeSafe(sb *strings.Builder, nodes []*node) {
	for _, n := range nodes {
		switch {
		case sb.Len() > maxOutput: // the article is refused; do not make it any larger
			return
		case n.tag == "":
			sb.WriteString(escape(n.text))
		case n.tag == "script" && b.resolve(n.attr("src"), "http", "https") != "":
			sb.WriteString(`<script async src="` + escape(b.resolve(n.attr("src"), "http", "https")) + `"></script>`)
		case hidden(n.tag) || n.tag == "iframe":
			b.warn("left out: "+n.tag+" cannot stand in an embed", n)
		case !embeddable(n.tag):
			b.writeSafe(sb, n.children)
		default:
			sb.WriteString("<" + n.tag)
			b.writeAttrs(sb, n)
			sb.WriteString(">")
			b.writeSafe(sb, n.children)
			if !void(n.tag) {
				sb.WriteString("</" + n.tag + ">")
			}
		}
	}
}

// writeAttrs writes the attributes that lay out a table or tell an embed's script what to show.
func (b *builder) writeAttrs(sb *strings.Builder, n *node) {
	for _, a := range n.attrs {
		value := a.Val
		switch {
		case a.Key == "href" || a.Key == "cite":
			value = b.resolve(value, "http", "https", "mailto")
		case a.Key == "src":
			value = b.source(n)
		case a.Key == "controls": // is there or not, whatever its value
			sb.WriteString(" controls")
			continue
		case a.Key == "class" && inTable(n.tag):
			continue
		case !slices.Contains(keptAttrs(), a.Key) && !dataAttr(a.Key):
			continue
		}
		if value != "" {
			sb.WriteString(" " + a.Key + `="` + escape(value) + `"`)
		}
	}
}

func keptAttrs() []string {
	return []string{"class", "colspan", "rowspan", "scope", "alt", "width", "height", "lang", "dir", "datetime", "type"}
}

// dataAttr reports a data attribute whose name can be written without harm.
func dataAttr(key string) bool {
	name, ok := strings.CutPrefix(key, "data-")
	return ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// inTable reports the parts of a table: their classes are for the source's own style sheet.
func inTable(tag string) bool {
	return cell(tag) || tag == "caption" || tag == "col" || tag == "colgroup"
}

// embeddable reports the elements that may stand inside a frame.
func embeddable(tag string) bool {
	switch tag {
	case "a", "audio", "b", "blockquote", "br", "caption", "code", "col", "colgroup", "div", "em", "figcaption", "figure",
		"h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "li", "ol", "p", "pre", "section", "small", "source", "span",
		"strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "u", "ul", "video":
		return true
	}
	return false
}
