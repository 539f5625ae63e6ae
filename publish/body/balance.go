package body

import (
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxPasses is how often the result may change when it is parsed. The writer nests as the parser does, so mostly one pass is
// enough. If markup keeps changing, only its text is returned.
const maxPasses = 4

// balance returns markup that an HTML parser reads as it is written: rendering its tree returns the same markup. So the tree
// of a reader contains nothing that the tree here does not.
func balance(markup string) string {
	for range maxPasses {
		again, err := rendered(markup)
		switch {
		case err != nil:
			return textOnly.Sanitize(markup)
		case again == markup:
			return markup
		}
		markup = again
	}
	return textOnly.Sanitize(markup)
}

// textOnly removes all tags.
var textOnly = bluemonday.StrictPolicy()

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
