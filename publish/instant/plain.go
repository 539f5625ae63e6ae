package instant

import "strings"

// PlainText is the text that a reader sees of some HTML, on one line, at most limit bytes long. It is safe for XML.
func PlainText(content string, limit int) string {
	if len(content) > maxInput {
		content = content[:maxInput]
	}
	root, err := parse(content)
	if err != nil {
		return "" // more markup than any summary has
	}
	var sb strings.Builder
	writePlain(&sb, root)
	return cut(strings.Join(strings.Fields(sb.String()), " "), limit)
}

func writePlain(sb *strings.Builder, n *node) {
	for _, child := range n.children {
		switch {
		case child.tag == "":
			sb.WriteString(child.text)
		case hidden(child.tag) || child.tag == "iframe":
		default:
			if blockLevel(child.tag) || child.tag == "br" {
				sb.WriteByte(' ')
			}
			writePlain(sb, child)
			if blockLevel(child.tag) {
				sb.WriteByte(' ')
			}
		}
	}
}
