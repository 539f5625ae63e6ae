package instant

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/selector"
)

// find returns the first match of a selector among n and its descendants, or nil. A nil selector matches n.
func (b *builder) find(s *selector.Selector, n *html.Node) *html.Node {
	if s == nil {
		return n
	}
	for c := range b.visit(n) {
		if s.Match(c) {
			return c
		}
	}
	return nil
}

// visit yields n and its descendants in document order, except those that a rule has shown. It ends early if the article will
// be refused.
func (b *builder) visit(n *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for c := n; c != nil; {
			b.steps++
			if c != n && b.shown[c] {
				c = hypertext.After(c, n)
				continue
			}
			if b.steps > b.maxSteps || !yield(c) {
				return
			}
			c = hypertext.Following(c, n)
		}
	}
}

// getText returns the trimmed text that a getter finds, and its element. A nil getter finds nothing.
func (b *builder) getText(g *getter, n *html.Node) (string, *html.Node) {
	if g == nil {
		return "", nil
	}
	switch g.Type {
	case "constant", "fragment":
		return g.Text, nil
	case "multiple":
		var sb strings.Builder
		var from []*html.Node
		for i := range g.Children {
			if child := &g.Children[i]; !b.repeats(child, n, from) {
				s, at := b.getText(child, n)
				sb.WriteString(s)
				from = append(from, at)
			}
		}
		return sb.String(), cmp.Or(from...)
	}
	at := b.elementOf(g, n)
	switch {
	case at == nil:
		return "", nil
	case g.Type == "exists" && (len(g.Attribute) == 0 || b.firstAttr(g, at) != "" || hypertext.HasAttr(at, g.Attribute[0])):
		return "true", nil
	case g.Type == "exists":
		return "", nil
	}
	value := b.firstAttr(g, at)
	if len(g.Attribute) == 0 {
		value = b.textOf(at)
	}
	switch g.Type {
	case "int":
		value = leadingInt(value)
	case "date":
		when, err := time.ParseInLocation(g.Text, ordinals.Replace(value), b.zone())
		if err != nil {
			return "", nil
		}
		value = when.Format(time.RFC3339)
	}
	if value == "" {
		return "", nil
	}
	return g.Prefix + value + g.Suffix, at
}

// getNodes returns the nodes that a getter finds, or its text as a node.
func (b *builder) getNodes(g *getter, n *html.Node) []*html.Node {
	switch g.Type {
	case "fragment":
		return g.Nodes
	case "multiple":
		var list []*html.Node
		for i := range g.Children {
			if child := &g.Children[i]; !b.repeats(child, n, list) {
				list = append(list, b.getNodes(child, n)...)
			}
		}
		return list
	case "element", "children", "next-sibling-element-of":
		at := b.elementOf(g, n)
		switch {
		case at == nil:
			return nil
		case g.Type != "children" || at.DataAtom == atom.Script: // without its element, a script would be shown as text
			return []*html.Node{at}
		case at.Data == "iframe":
			return b.inner(at)
		}
		return slices.Collect(at.ChildNodes())
	}
	text, from := b.getText(g, n)
	if text == "" {
		return nil
	}
	if from != nil {
		b.markRead(g, n)
	}
	return []*html.Node{{Type: html.TextNode, Data: text}}
}

// repeats reports whether a getter reads the content of one of nodes.
func (b *builder) repeats(g *getter, n *html.Node, nodes []*html.Node) bool {
	switch at := b.elementOf(g, n); {
	case at == nil || len(g.Attribute) > 0 || g.Type == "constant" || g.Type == "fragment" || g.Type == "exists":
		return false
	default:
		return slices.ContainsFunc(nodes, func(read *html.Node) bool { return isWithin(at, read) })
	}
}

// markRead keeps what a getter has read from being shown again: elements, or the text of an element, whose media are still to be
// shown.
func (b *builder) markRead(g *getter, n *html.Node) {
	for i := range g.Children {
		b.markRead(&g.Children[i], n)
	}
	switch g.Type {
	case "multiple":
	case "element", "children", "next-sibling-element-of":
		b.markShown(b.elementOf(g, n), nil)
	default:
		b.markTextRead(g, n)
	}
}

// markTextRead is markRead for a getter of which only the text is shown.
func (b *builder) markTextRead(g *getter, n *html.Node) {
	for i := range g.Children {
		b.markTextRead(&g.Children[i], n)
	}
	switch at := b.elementOf(g, n); {
	case at == nil || len(g.Attribute) > 0:
	case g.Type == "multiple" || g.Type == "constant" || g.Type == "fragment" || g.Type == "exists" || g.Type == "int":
	default:
		for c := range b.visit(at) {
			b.shown[c] = b.shown[c] || isText(c)
		}
	}
}

// elementOf returns the node that a getter reads, or nil.
func (b *builder) elementOf(g *getter, n *html.Node) *html.Node {
	at := b.find(g.At, n)
	switch {
	case at == nil:
		return nil
	case g.Type == "sibling":
		at = at.NextSibling
	case g.Type == "next-sibling-element-of":
		// Without a selector it must be a script, so that unrelated text does not become part of an embed.
		at = hypertext.NextElement(at)
		if at != nil && (g.Sibling == nil && at.DataAtom != atom.Script || g.Sibling != nil && !g.Sibling.Match(at)) {
			return nil
		}
	default:
		return at
	}
	if b.shown[at] {
		return nil
	}
	return at
}

// firstAttr returns the first attribute of the getter that n has. For src it returns the address of the medium, see source, unless
// the getter adds something to it.
func (b *builder) firstAttr(g *getter, n *html.Node) string {
	for _, key := range g.Attribute {
		value := hypertext.Attr(n, key)
		if key == "src" && !g.Partial {
			value = cmp.Or(b.source(n), value)
		}
		if value != "" {
			return value
		}
	}
	return ""
}

// textOf returns the trimmed text of n and its descendants.
func (b *builder) textOf(n *html.Node) string {
	var sb strings.Builder
	for c := range b.visit(n) {
		if isText(c) {
			sb.WriteString(c.Data)
		}
	}
	return strings.TrimSpace(sb.String())
}

// isText reports whether n is text, and not the markup in a frame.
func isText(n *html.Node) bool {
	return n.Type == html.TextNode && (n.Parent == nil || n.Parent.DataAtom != atom.Iframe)
}

// leadingInt returns the number of at most nine digits that s begins with, or an empty string.
func leadingInt(s string) string {
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	n, err := strconv.Atoi(digits[:min(len(digits), 9)])
	if err != nil {
		return ""
	}
	return strconv.Itoa(n)
}

// replace sets value to the text that a property finds. It changes nothing if the rule lacks the property.
func (b *builder) replace(value *string, r *rule, key string, n *html.Node) {
	if g := r.Properties[key]; g != nil {
		*value, _ = b.getText(g, n)
	}
}

// value returns the text that a property finds; empty if the rule lacks the property.
func (b *builder) value(r *rule, key string, n *html.Node) string {
	value, _ := b.getText(r.Properties[key], n)
	return value
}
