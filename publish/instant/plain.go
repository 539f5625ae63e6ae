package instant

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// PlainText is the text that a reader sees of some HTML, on one line, at most limit bytes long. It is safe for XML.
func PlainText(content string, limit int) string {
	if len(content) > maxInput {
		content = content[:maxInput]
	}
	p, err := parse(content)
	if err != nil {
		return "" // more markup than any summary has
	}
	var sb strings.Builder
	writePlain(&sb, p.root)
	return Cut(oneLine(sb.String()), limit)
}

func writePlain(sb *strings.Builder, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			sb.WriteString(c.Data)
		case hidden(c.DataAtom) || c.DataAtom == atom.Iframe:
		default:
			if blockLevel(c.DataAtom) || c.DataAtom == atom.Br {
				sb.WriteByte(' ')
			}
			writePlain(sb, c)
			if blockLevel(c.DataAtom) {
				sb.WriteByte(' ')
			}
		}
	}
}
