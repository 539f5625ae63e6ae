// Package selector matches elements with CSS selectors and with a subset of XPath, in time linear in the depth of an element.
//
// Compound selectors are parsed and matched by cascadia. Combinators and paths are ours because the libraries backtrack: on
// 6,000 paragraphs below 250 nested div elements, ".a .b .c p" takes 40 ms here and more than 15 s in cascadia, and
// "//div//div//div//p" takes 6 ms here and more than 15 s in antchfx/xpath. Sources decide how deep their pages are nested.
package selector

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// Selector is a parsed selector. It is safe for concurrent use.
type Selector struct {
	alternatives []complexSelector
	attribute    string
}

// complexSelector is a list of compounds, outermost first, as the CSS specification names them.
type complexSelector []compound

// compound is the condition on one element.
type compound struct {
	tag, class string     // empty matches any
	test       condition  // nil matches any
	combinator combinator // to the compound before
}

type condition func(*html.Node) bool

type combinator byte

const (
	descendant combinator = iota
	child
	adjacent // next sibling element
	topmost  // no element outside
)

const maxLength = 1000 // bytes of a selector

// Parse parses a CSS selector or, if source begins with "/", a path.
func Parse(source string) (*Selector, error) {
	source = strings.TrimSpace(source)
	switch {
	case source == "":
		return nil, errors.New("it is empty")
	case len(source) > maxLength:
		return nil, fmt.Errorf("it has more than %d bytes", maxLength)
	case source[0] == '/':
		return parsePath(source)
	}
	return parseCSS(source)
}

// MustParse is Parse for constants. It panics if source is invalid.
func MustParse(source string) *Selector {
	s, err := Parse(source)
	if err != nil {
		panic(fmt.Sprintf("selector %q: %v", source, err))
	}
	return s
}

// Attribute returns the attribute that a path ends in, like src in //img/@src; empty if it ends in an element or text().
func (s *Selector) Attribute() string { return s.attribute }

// Keys returns what elements that match have at least one of: a class (".name"), a tag ("name") or nothing ("").
func (s *Selector) Keys() []string {
	var keys []string
	for _, c := range s.alternatives {
		key := c[len(c)-1].tag
		if class := c[len(c)-1].class; class != "" {
			key = "." + class
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Match reports whether n is an element that s selects.
func (s *Selector) Match(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	for _, c := range s.alternatives {
		if c.match(n) {
			return true
		}
	}
	return false
}

// match compares the compounds from the last to the first. It takes each group joined by child and adjacent combinators at
// its innermost position: a position further out leaves fewer ancestors for the groups before it.
func (c complexSelector) match(n *html.Node) bool {
	rest, top := c.matchGroup(n)
	if top == nil {
		return false
	}
	for len(rest) > 0 {
		before := rest
		n, top = top.Parent, nil
		for ; n != nil; n = n.Parent {
			if rest, top = before.matchGroup(n); top != nil {
				break
			}
		}
		if top == nil {
			return false
		}
	}
	return true
}

// matchGroup matches the last compounds up to a descendant combinator, the last of them at n. It returns the compounds
// before the group and the element of its first compound, or nil.
func (c complexSelector) matchGroup(n *html.Node) (before complexSelector, first *html.Node) {
	for i := len(c) - 1; n != nil; i-- {
		part := &c[i]
		if !part.match(n) {
			return nil, nil
		}
		if i == 0 || part.combinator == descendant {
			return c[:i], n
		}
		if part.combinator == child {
			n = n.Parent
			continue
		}
		for n = n.PrevSibling; n != nil && n.Type != html.ElementNode; {
			n = n.PrevSibling
		}
	}
	return nil, nil
}

func (c *compound) match(n *html.Node) bool {
	return (c.tag == "" || c.tag == n.Data) && (c.class == "" || hypertext.HasClass(n, c.class)) && (c.test == nil || c.test(n)) &&
		(c.combinator != topmost || n.Parent == nil || n.Parent.Parent == nil)
}
