package validate

import (
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// The limits of a document. Documents of package instant are far below them.
const (
	maxBytes   = 16 << 20
	maxNodes   = 1_000_000
	maxNesting = 64
)

// read builds the tree of a document and reports what a strict parser would refuse. It returns nil if a limit is exceeded.
func (v *validator) read(document string) *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	if len(document) > maxBytes {
		v.find("size", root, "the document has %d bytes; at most %d are allowed", len(document), maxBytes)
		return nil
	}
	if document != hypertext.Clean(document) {
		v.find("characters", root, "the document contains characters that XML forbids")
	}
	z := html.NewTokenizer(strings.NewReader(document))
	open, depth := root, 0
	for count := 0; ; count++ {
		kind := z.Next()
		if kind == html.ErrorToken {
			if open != root || !errors.Is(z.Err(), io.EOF) {
				v.find("markup", open, "the %s is not closed", open.Data)
			}
			return root
		}
		if count == maxNodes || depth > maxNesting {
			v.find("size", root, "the document has more than %d nodes or more than %d levels of nesting", maxNodes, maxNesting)
			return nil
		}
		token := z.Token()
		switch kind {
		case html.TextToken:
			open.AppendChild(&html.Node{Type: html.TextNode, Data: token.Data})
		case html.StartTagToken, html.SelfClosingTagToken:
			n := &html.Node{Type: html.ElementNode, Data: token.Data, DataAtom: token.DataAtom, Attr: token.Attr}
			open.AppendChild(n)
			v.attributes(n)
			if !hypertext.Void[token.DataAtom] {
				open = n
				depth++
			}
		case html.EndTagToken:
			if open.Data != token.Data || open == root {
				v.find("markup", open, "</%s> closes no open element", token.Data)
				continue
			}
			open = open.Parent
			depth--
		}
	}
}

// attributes reports attributes that can run code.
func (v *validator) attributes(n *html.Node) {
	for _, a := range n.Attr {
		value := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
		if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" ||
			strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "vbscript:") {
			v.find("executable", n, "the attribute %.40q can run code", a.Key)
		}
	}
}

// tag returns the name of an element; empty if n is a text.
func tag(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	return n.Data
}

// child returns the first child element with a tag, or nil.
func child(n *html.Node, name string) *html.Node {
	for c := range n.ChildNodes() {
		if tag(c) == name {
			return c
		}
	}
	return nil
}

// all returns the child elements with a tag.
func all(n *html.Node, name string) []*html.Node {
	return slices.DeleteFunc(slices.Collect(n.ChildNodes()), func(c *html.Node) bool { return tag(c) != name })
}

// empty reports whether n has no child elements.
func empty(n *html.Node) bool {
	return !slices.ContainsFunc(slices.Collect(n.ChildNodes()), func(c *html.Node) bool { return tag(c) != "" })
}

// within reports whether n or an ancestor has a tag.
func within(n *html.Node, name string) bool {
	for ; n != nil; n = n.Parent {
		if tag(n) == name {
			return true
		}
	}
	return false
}

// content returns the text of n and its descendants.
func content(n *html.Node) string {
	var sb strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			sb.WriteString(c.Data)
		}
	}
	return sb.String()
}

// place returns the CSS path of n from the root: "html > body > article > p:nth-of-type(2)".
func place(n *html.Node) string {
	var path []string
	for ; n != nil && tag(n) != ""; n = n.Parent {
		path = append(path, n.Data+hypertext.NthOfType(n))
	}
	if path == nil {
		return ":root"
	}
	slices.Reverse(path)
	return strings.Join(path, " > ")
}
