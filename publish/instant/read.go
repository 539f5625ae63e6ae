package instant

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// find is the element that a getter looks at: the first in document order among n and all within it.
func (b *builder) find(s *selector, n *html.Node) *html.Node {
	if s == nil {
		return n
	}
	for c := n; c != nil; c = following(c, n) {
		if b.steps++; b.steps > b.maxSteps {
			return nil // the article is refused
		}
		if s.match(c) {
			return c
		}
	}
	return nil
}

// read is the text that a getter finds, trimmed, and the element that it came from.
func (b *builder) read(g *getter, n *html.Node) (string, *html.Node) {
	switch g.kind {
	case "constant", "fragment":
		return g.value, nil
	case "multiple":
		var sb strings.Builder
		var from *html.Node
		for i := range g.parts {
			s, at := b.read(&g.parts[i], n)
			sb.WriteString(s)
			if from == nil {
				from = at
			}
		}
		return sb.String(), from
	}
	at := b.find(g.at, n)
	if at == nil {
		return "", nil
	}
	switch g.kind {
	case "exists":
		if len(g.attributes) == 0 || b.firstAttr(g, at) != "" || hasAttr(at, g.attributes[0]) {
			return "true", nil
		}
		return "", nil
	case "sibling":
		at = at.NextSibling
	case "next-sibling-element-of":
		at = b.siblingOf(g, at)
	}
	if at == nil {
		return "", nil
	}
	value := ""
	if len(g.attributes) > 0 {
		value = b.firstAttr(g, at)
	} else {
		value = b.textOf(at)
	}
	if value == "" {
		return "", nil
	}
	switch g.kind {
	case "int":
		if value = leadingInt(value); value == "" {
			return "", nil
		}
	case "date":
		when, err := time.Parse(g.value, ordinals.Replace(value))
		if err != nil {
			return "", nil
		}
		value = when.Format(time.RFC3339)
	}
	return g.prefix + value + g.suffix, at
}

// nodes are the nodes that a getter finds; a text where it finds only that.
func (b *builder) nodes(g *getter, n *html.Node) []*html.Node {
	switch g.kind {
	case "fragment":
		return g.fragment
	case "multiple":
		var list []*html.Node
		for i := range g.parts {
			list = append(list, b.nodes(&g.parts[i], n)...)
		}
		return list
	case "element", "children", "next-sibling-element-of":
		at := b.find(g.at, n)
		if at != nil && g.kind == "next-sibling-element-of" {
			at = b.siblingOf(g, at)
		}
		if at == nil {
			return nil
		}
		if g.kind != "children" {
			return []*html.Node{at}
		}
		if at.Data == "iframe" {
			return b.inner(at)
		}
		return children(at)
	}
	text, from := b.read(g, n)
	if text == "" {
		return nil
	}
	if len(g.attributes) == 0 {
		b.take(from, n)
	}
	return []*html.Node{{Type: html.TextNode, Data: text}}
}

// siblingOf is the next element after n, where it is the one the getter means. A getter that says nothing means a script:
// a text that happens to follow must not end up in an embed.
func (b *builder) siblingOf(g *getter, n *html.Node) *html.Node {
	if s := next(n); s != nil && (g.sibling == nil && s.DataAtom == atom.Script || g.sibling != nil && g.sibling.match(s)) {
		return s
	}
	return nil
}

// firstAttr is the first of the getter's attributes that n has. An address is looked for as the media rules do it.
func (b *builder) firstAttr(g *getter, n *html.Node) string {
	for _, key := range g.attributes {
		value := attr(n, key)
		if key == "src" {
			if src := b.source(n); src != "" {
				value = src
			}
		}
		if value != "" {
			return value
		}
	}
	return ""
}

// textOf is all text within n, trimmed.
func (b *builder) textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return strings.TrimSpace(n.Data)
	}
	var sb strings.Builder
	for c := n.FirstChild; c != nil; c = following(c, n) {
		if b.steps++; b.steps > b.maxSteps {
			break
		}
		if c.Type == html.TextNode {
			sb.WriteString(c.Data)
		}
	}
	return strings.TrimSpace(sb.String())
}

func leadingInt(s string) string {
	end := 0
	for end < len(s) && end < 9 && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil {
		return ""
	}
	return strconv.Itoa(n)
}

// value is the text that a property finds, and the element it came from; empty where the rule has no such property.
func (b *builder) value(r *rule, key string, n *html.Node) (string, *html.Node) {
	g := r.props[key]
	if g == nil {
		return "", nil
	}
	return b.read(g, n)
}

func (b *builder) exists(r *rule, key string, n *html.Node) bool {
	value, _ := b.value(r, key, n)
	return value != ""
}
