package validate

import (
	"errors"
	"io"
	"slices"
	"strconv"
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

// node is an element, or a text if tag is empty, exactly as the document has it.
type node struct {
	tag      string
	text     string
	attrs    []html.Attribute
	parent   *node
	children []*node
}

// read builds the tree of a document and reports what a strict parser would refuse. It returns nil if a limit is exceeded.
func (v *validator) read(document string) *node {
	root := &node{}
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
				v.find("markup", open, "the %s is not closed", open.tag)
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
			open.children = append(open.children, &node{text: token.Data, parent: open})
		case html.StartTagToken, html.SelfClosingTagToken:
			n := &node{tag: token.Data, attrs: token.Attr, parent: open}
			open.children = append(open.children, n)
			v.attributes(n)
			if !hypertext.Void(token.DataAtom) {
				open = n
				depth++
			}
		case html.EndTagToken:
			if open.tag != token.Data || open == root {
				v.find("markup", open, "</%s> closes no open element", token.Data)
				continue
			}
			open = open.parent
			depth--
		}
	}
}

// attributes reports attributes that can run code.
func (v *validator) attributes(n *node) {
	for _, a := range n.attrs {
		value := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
		if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" ||
			strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "vbscript:") {
			v.find("executable", n, "the attribute %.40q can run code", a.Key)
		}
	}
}

// attr returns the value of an attribute; empty if n lacks it.
func (n *node) attr(key string) string {
	if i := slices.IndexFunc(n.attrs, func(a html.Attribute) bool { return a.Key == key }); i >= 0 {
		return n.attrs[i].Val
	}
	return ""
}

func (n *node) class(name string) bool { return hypertext.HasWord(n.attr("class"), name) }

// child returns the first child element with a tag, or nil.
func (n *node) child(tag string) *node {
	if all := n.all(tag); len(all) > 0 {
		return all[0]
	}
	return nil
}

// empty reports whether n has no child elements.
func (n *node) empty() bool {
	return !slices.ContainsFunc(n.children, func(c *node) bool { return c.tag != "" })
}

// all returns the child elements with a tag.
func (n *node) all(tag string) []*node {
	var found []*node
	for _, child := range n.children {
		if child.tag == tag {
			found = append(found, child)
		}
	}
	return found
}

// contains reports whether match holds for a descendant of n.
func (n *node) contains(match func(*node) bool) bool {
	return slices.ContainsFunc(n.children, func(child *node) bool { return match(child) || child.contains(match) })
}

// within reports whether n or an ancestor has a tag.
func (n *node) within(tag string) bool {
	for ; n != nil; n = n.parent {
		if n.tag == tag {
			return true
		}
	}
	return false
}

// content returns the text of n and its descendants.
func (n *node) content() string {
	var sb strings.Builder
	n.writeContent(&sb)
	return sb.String()
}

func (n *node) writeContent(sb *strings.Builder) {
	sb.WriteString(n.text)
	for _, child := range n.children {
		child.writeContent(sb)
	}
}

// place returns the CSS path of n from the root: "html > body > article > p:nth-of-type(2)".
func (n *node) place() string {
	var path []string
	for ; n != nil && n.tag != ""; n = n.parent {
		path = append(path, n.step())
	}
	if path == nil {
		return ":root"
	}
	slices.Reverse(path)
	return strings.Join(path, " > ")
}

// step returns the selector of n among its siblings. It has a number only if several siblings have the same tag.
func (n *node) step() string {
	index, same := 0, 0
	for _, sibling := range n.parent.children {
		if sibling.tag != n.tag {
			continue
		}
		same++
		if sibling == n {
			index = same
		}
	}
	if same < 2 {
		return n.tag
	}
	return n.tag + ":nth-of-type(" + strconv.Itoa(index) + ")"
}
