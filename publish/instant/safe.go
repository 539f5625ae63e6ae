package instant

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// sanitize renders nodes as markup that cannot run code, change the style of the page, or close the surrounding frame.
// It replaces unknown elements with their content. It preserves a script only if a rule contains the same script, or if trusted,
// which means that a rule of the publisher selected the nodes.
func (b *builder) sanitize(nodes []*html.Node, trusted bool) string {
	var sb strings.Builder
	for _, n := range nodes {
		b.writeSanitized(&sb, n, trusted)
	}
	return strings.TrimSpace(sb.String())
}

func (b *builder) writeSanitized(sb *strings.Builder, n *html.Node, trusted bool) {
	known := n.Type == html.ElementNode && embeddable[n.Data]
	switch {
	case sb.Len() > maxOutput || b.shown[n]: // in the first case the article will be refused
		return
	case n.Type == html.TextNode:
		sb.WriteString(hypertext.Escape(n.Data))
		return
	case n.DataAtom == atom.Script && b.writeScript(sb, n, trusted):
		return
	case hypertext.Hidden[n.DataAtom] && !known || n.DataAtom == atom.Iframe:
		b.warn(codeLeftOut, "left out: "+n.Data+" is not allowed in an embed", n)
		if n.DataAtom == atom.Iframe || n.DataAtom == atom.Embed {
			separate(sb)
		}
		return
	case n.FirstChild == nil && (n.DataAtom == atom.Img && b.source(n) == "" || !known && b.isMedium(n)):
		b.warn(codeLeftOut, "left out: the embed cannot show this "+n.Data, n)
		return
	case known:
		sb.WriteString("<" + n.Data)
		b.writeAttrs(sb, n)
		sb.WriteString(">")
	case hypertext.BlockLevel[n.DataAtom]:
		separate(sb)
		defer separate(sb)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.writeSanitized(sb, c, trusted)
	}
	if known && !hypertext.Void[n.DataAtom] {
		sb.WriteString("</" + n.Data + ">")
	}
}

// separate writes a space if the markup so far ends within a line. It keeps the words around an omitted element apart.
func separate(sb *strings.Builder) {
	s := sb.String()
	for strings.HasSuffix(s, ">") {
		start := strings.LastIndexByte(s, '<')
		name, _ := hypertext.Identifier(strings.TrimPrefix(s[start+1:], "/"))
		if a := atom.Lookup([]byte(name)); a == atom.Script || hypertext.BlockLevel[a] || hypertext.Void[a] {
			return
		}
		s = s[:start]
	}
	if s != "" && !strings.HasSuffix(s, " ") {
		sb.WriteString(" ")
	}
}

// writeScript writes a script if it may be kept, and reports whether it did.
func (b *builder) writeScript(sb *strings.Builder, n *html.Node, trusted bool) bool {
	src := b.resolve(hypertext.Attr(n, "src"), "http", "https")
	switch {
	case src != "" && (trusted || b.rules.Scripts[src]):
		sb.WriteString("<script async" + attr("src", src) + "></script>")
		return true
	case n.FirstChild == nil:
		return false
	}
	text := n.FirstChild.Data
	if !trusted && !b.rules.Scripts[text] || strings.Contains(strings.ToLower(text), "</iframe") {
		return false
	}
	sb.WriteString("<script>" + text + "</script>")
	return true
}

// writeAttrs writes the attributes that lay out a table or configure an embed.
func (b *builder) writeAttrs(sb *strings.Builder, n *html.Node) {
	for _, a := range n.Attr {
		value := a.Val
		switch {
		case a.Key == "href" || a.Key == "cite":
			value = b.resolve(value, "http", "https", "mailto")
		case a.Key == "src":
			value = b.source(n)
		case a.Key == "controls": // a boolean attribute
			sb.WriteString(" controls")
			continue
		case a.Key == "class" && inTable(n.DataAtom):
			continue
		case !safeAttrs[a.Key] && !dataAttr(a.Key):
			continue
		}
		sb.WriteString(attr(a.Key, value))
	}
}

// safeAttrs are the attributes that an element in an embed keeps.
var safeAttrs = hypertext.WordSet("class colspan rowspan scope alt width height lang dir datetime type")

// dataAttr reports whether a data attribute has a name that is safe to write.
func dataAttr(key string) bool {
	name, ok := strings.CutPrefix(key, "data-")
	return ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// inTable reports whether the classes of an element only style a table.
func inTable(a atom.Atom) bool {
	return hypertext.TablePart[a] || a == atom.Caption || a == atom.Col || a == atom.Colgroup
}

// embeddable are the elements that may be inside an embed.
var embeddable = hypertext.WordSet("a audio b blockquote br caption code col colgroup div em figcaption figure h1 h2 h3 h4 h5 h6 hr i img " +
	"li ol p pre section small source span strong sub sup table tbody td tfoot th thead time tr u ul video")
