package body

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// rounds is how often the result may still change when it is parsed. The writer nests as the parser does, so one round
// proves it; markup that a parser reads differently each time is not let out at all.
const rounds = 4

// balance gives markup that an HTML parser reads as it is written: rendering its tree gives it again, so nothing can turn
// up in the tree of a reader that was not in the tree here.
func balance(markup string) string {
	for range rounds {
		again, err := rendered(markup)
		switch {
		case err != nil:
			return texts(markup)
		case again == markup:
			return markup
		}
		markup = again
	}
	return texts(markup)
}

func rendered(markup string) (string, error) {
	nodes, err := html.ParseFragment(strings.NewReader(markup), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return "", err
	}
	var sb strings.Builder
	sb.Grow(len(markup))
	for _, n := range nodes {
		if err := html.Render(&sb, n); err != nil {
			return "", err
		}
	}
	return sb.String(), nil
}

// texts is the text of markup alone.
func texts(markup string) string {
	var sb strings.Builder
	z := html.NewTokenizer(strings.NewReader(markup))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		if kind == html.TextToken {
			sb.WriteString(html.EscapeString(z.Token().Data))
		}
	}
	return sb.String()
}
