package hypertext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// attribute returns the value of an attribute, or false if n lacks it.
func attribute(n *html.Node, key string) (string, bool) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val, true
		}
	}
	return "", false
}

// Attr returns the value of an attribute without surrounding white space; empty if n lacks it.
func Attr(n *html.Node, key string) string {
	value, _ := attribute(n, key)
	return strings.TrimSpace(value)
}

// HasAttr reports whether n has an attribute, even an empty one.
func HasAttr(n *html.Node, key string) bool {
	_, ok := attribute(n, key)
	return ok
}

// HasClass reports whether name is one of n's classes.
func HasClass(n *html.Node, name string) bool {
	classes, _ := attribute(n, "class")
	return HasWord(classes, name)
}

// HasWord reports whether a list separated by white space contains word.
func HasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// NextElement returns the sibling element after n if only blank text is between them, else nil.
func NextElement(n *html.Node) *html.Node {
	for s := n.NextSibling; s != nil; s = s.NextSibling {
		if s.Type == html.ElementNode {
			return s
		}
		if !Blank(s.Data) {
			return nil
		}
	}
	return nil
}

// After returns the node that follows n and its content in document order inside root, or nil.
func After(n, root *html.Node) *html.Node {
	for ; n != nil && n != root; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

// Following returns the next node in document order inside root, or nil.
func Following(n, root *html.Node) *html.Node {
	if n.FirstChild != nil {
		return n.FirstChild
	}
	return After(n, root)
}

// The kinds of elements.
var (
	// TablePart elements are tables, their sections, rows and cells.
	TablePart = atoms("table thead tbody tfoot tr td th")
	// Void elements have no end tag (HTML 13.1.2).
	Void = atoms("area base br col embed hr img input link meta param source track wbr")
	// BlockLevel elements start on a new line.
	BlockLevel = atoms("address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure " +
		"footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol optgroup option p pre section summary table tbody td tfoot " +
		"th thead tr ul xmp")
	// Hidden elements show nothing of their content.
	Hidden = atoms("script style template title meta link base head embed param source track area input svg")
	// rawText elements have content in which "<" starts no tag. noscript and noembed are parsed as markup.
	rawText = atoms("iframe script style textarea title xmp")
)

// atoms returns the elements of a list separated by white space.
func atoms(list string) map[atom.Atom]bool {
	set := make(map[atom.Atom]bool)
	for name := range strings.FieldsSeq(list) {
		set[atom.Lookup([]byte(name))] = true
	}
	return set
}

// WordSet returns the words of a list separated by white space.
func WordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
