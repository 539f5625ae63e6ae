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

// TablePart reports whether an element is a table, one of its sections, rows or cells.
func TablePart(a atom.Atom) bool {
	switch a {
	case atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		return true
	}
	return false
}

// Void reports whether an element has no end tag (HTML 13.1.2).
func Void(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param,
		atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// rawText reports whether "<" starts no tag inside an element. noscript and noembed are parsed as markup.
func rawText(a atom.Atom) bool {
	switch a {
	case atom.Iframe, atom.Script, atom.Style, atom.Textarea, atom.Title, atom.Xmp:
		return true
	}
	return false
}

// BlockLevel reports whether an element starts on a new line.
func BlockLevel(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr,
		atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Pre, atom.Section,
		atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul, atom.Xmp:
		return true
	}
	return false
}

// Hidden reports whether a browser shows nothing of an element's content.
func Hidden(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Template, atom.Title, atom.Meta, atom.Link, atom.Base, atom.Head, atom.Embed,
		atom.Param, atom.Source, atom.Track, atom.Area, atom.Input, atom.Svg:
		return true
	}
	return false
}

// WordSet returns the words of a list separated by white space.
func WordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
