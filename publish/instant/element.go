package instant

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// attr is the value of an attribute, trimmed; empty where there is none.
func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return strings.TrimSpace(n.Attr[i].Val)
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return true
		}
	}
	return false
}

// hasClass reports that name is one of n's classes.
func hasClass(n *html.Node, name string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == "class" {
			return hasWord(n.Attr[i].Val, name)
		}
	}
	return false
}

// hasWord reports that word is one of the words of list.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// next is the element after n among its siblings, with only blank text between; nil: none.
func next(n *html.Node) *html.Node {
	for s := n.NextSibling; s != nil; s = s.NextSibling {
		if s.Type == html.ElementNode {
			return s
		}
		if !blank(s.Data) {
			return nil
		}
	}
	return nil
}

// after is the node that follows n and all within it in document order, inside root; nil: none.
func after(n, root *html.Node) *html.Node {
	for ; n != nil && n != root; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

// following is the next node in document order inside root; nil: n was the last.
func following(n, root *html.Node) *html.Node {
	if n.FirstChild != nil {
		return n.FirstChild
	}
	return after(n, root)
}

func cell(a atom.Atom) bool {
	switch a {
	case atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		return true
	}
	return false
}

// void reports the elements that have no end tag (HTML 13.1.2).
func void(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param,
		atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// rawText reports the elements in which "<" starts no tag. noscript, noembed and the like are read as markup.
func rawText(a atom.Atom) bool {
	switch a {
	case atom.Iframe, atom.Script, atom.Style, atom.Textarea, atom.Title, atom.Xmp:
		return true
	}
	return false
}

// blockLevel reports the elements that start on a line of their own.
func blockLevel(a atom.Atom) bool {
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

// children are the nodes directly within n.
func children(n *html.Node) []*html.Node {
	var list []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		list = append(list, c)
	}
	return list
}
