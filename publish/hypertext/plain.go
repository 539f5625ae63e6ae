package hypertext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxPlain is how many bytes of HTML PlainText reads.
const maxPlain = 2 << 20

// PlainText returns the visible text of the first 2 MiB of some HTML on one line, at most limit bytes long and safe for XML. It reads no
// more of the HTML than that takes. It is empty if Parse refuses what it reads.
func PlainText(content string, limit int) string {
	content = content[:min(len(content), maxPlain)]
	for size := 4 * max(limit, 1); size < len(content); size *= 4 {
		if text := plain(content[:size]); len(text) > 2*limit { // the last of it may be a part of a tag or entity
			return Cut(text, limit)
		}
	}
	return Cut(plain(content), limit)
}

// plain returns the visible text of some HTML on one line.
func plain(content string) string {
	p, err := Parse(content)
	if err != nil {
		return ""
	}
	var sb strings.Builder
	writePlain(&sb, p.Root)
	return OneLine(sb.String())
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
