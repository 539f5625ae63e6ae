package hypertext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxPlain is how many bytes of HTML PlainText reads.
const maxPlain = 2 << 20

// PlainText returns the visible text of the first 2 MiB of some HTML on one line, at most limit bytes long and safe for XML.
// It is empty if Parse refuses the HTML.
func PlainText(content string, limit int) string {
	if len(content) > maxPlain {
		content = content[:maxPlain]
	}
	p, err := Parse(content)
	if err != nil {
		return ""
	}
	var sb strings.Builder
	writePlain(&sb, p.Root)
	return Cut(OneLine(sb.String()), limit)
}

func writePlain(sb *strings.Builder, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			sb.WriteString(c.Data)
		case Hidden[c.DataAtom] || c.DataAtom == atom.Iframe:
		default:
			if BlockLevel[c.DataAtom] || c.DataAtom == atom.Br {
				sb.WriteByte(' ')
			}
			writePlain(sb, c)
			if BlockLevel[c.DataAtom] {
				sb.WriteByte(' ')
			}
		}
	}
}
