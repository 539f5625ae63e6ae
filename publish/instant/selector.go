package instant

import (
	"errors"
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// selector says which elements a rule or a property means: those that any of its ways leads to.
type selector struct {
	ways []way
	leaf leaf // what a path ends in
}

// leaf is what a path means of its element: the element itself, an attribute or the text.
type leaf struct {
	attribute string
	text      bool
}

// way is one part of a comma list: steps from an outer element to the one that is meant. It is matched from its end, so
// that asking whether one element is meant costs a walk to the root at most, and no search.
type way []step

// step is one element of a way.
type step struct {
	tag, class string // empty: any; rules are indexed by those of the last step
	test       condition
	relation   relation // to the step before
}

// condition tells whether an element is meant; nil: it is.
type condition func(*html.Node) bool

type relation byte

// The relations of an element to that of the step before.
const (
	within relation = iota // at any depth
	child
	adjacent // the next element
	topmost  // no step before: nothing but the document is above
)

const maxSelector = 1000 // bytes

// parseSelector reads a CSS selector or, where it begins with "/", a path.
func parseSelector(source string) (*selector, error) {
	source = strings.TrimSpace(source)
	switch {
	case source == "":
		return nil, errors.New("it is empty")
	case len(source) > maxSelector:
		return nil, fmt.Errorf("it has more than %d bytes", maxSelector)
	case source[0] == '/':
		return parsePath(source)
	}
	s := &selector{}
	for _, part := range splitOutside(source, ",") {
		w, err := parseWay(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		s.ways = append(s.ways, w)
	}
	return s, nil
}

func parseWay(source string) (way, error) {
	for _, sign := range []string{">", "+"} {
		source = strings.Join(splitOutside(source, sign), " "+sign+" ")
	}
	var w way
	related := within
	for _, part := range splitOutside(source, " \t\n") {
		switch part {
		case "":
		case ">", "+":
			if related != within || w == nil {
				return nil, errors.New("it lacks an element")
			}
			related = child
			if part == "+" {
				related = adjacent
			}
		default:
			s, err := parseCompound(part)
			if err != nil {
				return nil, err
			}
			s.relation, related = related, within
			w = append(w, s)
		}
	}
	if w == nil || related != within {
		return nil, errors.New("it lacks an element")
	}
	return w, nil
}

// parseCompound reads what a selector says of one element.
func parseCompound(source string) (step, error) {
	tag, rest := identifier(source)
	s := step{tag: strings.ToLower(tag)}
	if strings.HasPrefix(rest, ".") {
		s.class, rest = identifier(rest[1:])
	}
	if rest == "" && (s.tag != "" || s.class != "") || source == "*" {
		return s, nil
	}
	if err := affordable(source); err != nil {
		return s, err
	}
	sel, err := cascadia.Parse(source)
	if err != nil {
		return s, err
	}
	s.test = sel.Match
	return s, nil
}

// affordable refuses what would have to be looked up among all other elements of the document.
func affordable(source string) error {
	bare := source
	for start := strings.IndexByte(bare, '['); start >= 0; start = strings.IndexByte(bare, '[') {
		length := strings.IndexByte(bare[start:], ']')
		if length < 0 {
			break
		}
		bare = bare[:start] + bare[start+length+1:]
	}
	if strings.Contains(bare, "~") || strings.Contains(source, "#=") {
		return errors.New("later siblings (~) and regular expressions (#=) are not supported")
	}
	for i, part := range strings.Split(bare, ":") {
		if i == 0 {
			continue
		}
		switch name, rest := identifier(part); {
		case name == "empty" || name == "root":
		case name == "not" && strings.HasPrefix(rest, "(") && !strings.ContainsAny(rest, " >+"):
		default:
			return fmt.Errorf("the pseudo-class :%s is not supported", name)
		}
	}
	return nil
}

// identifier is the name at the beginning of s, and the rest.
func identifier(s string) (name, rest string) {
	end := 0
	for end < len(s) && (s[end] == '-' || s[end] == '_' || s[end] >= 0x80 || 'a' <= s[end]|0x20 && s[end]|0x20 <= 'z' ||
		end > 0 && '0' <= s[end] && s[end] <= '9') {
		end++
	}
	return s[:end], s[end:]
}

// splitOutside splits s at any byte of separators that stands in no brackets and no quotes.
func splitOutside(s, separators string) []string {
	var parts []string
	var quote byte
	start, depth := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case depth == 0 && strings.IndexByte(separators, c) >= 0:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

// match reports that n is meant.
func (s *selector) match(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	for _, w := range s.ways {
		if w.leadsTo(n) {
			return true
		}
	}
	return false
}

// leadsTo matches the steps in runs that only "within" parts. Each run but the last (which must end at n) is taken where
// it is met first on the way to the root: a place further out would only leave fewer elements for the steps before it.
func (w way) leadsTo(n *html.Node) bool {
	rest, top := w.run(n)
	if top == nil {
		return false
	}
	for len(rest) > 0 {
		before := rest
		n, top = top.Parent, nil
		for ; n != nil; n = n.Parent {
			if rest, top = before.run(n); top != nil {
				break
			}
		}
		if top == nil {
			return false
		}
	}
	return true
}

// run matches the last steps, back to one that may lie anywhere within the step before it. It returns the steps before
// and the element of the first step of the run; nil: no match.
func (w way) run(n *html.Node) (before way, first *html.Node) {
	for i := len(w) - 1; n != nil; i-- {
		s := &w[i]
		if !s.match(n) {
			return nil, nil
		}
		if i == 0 || s.relation == within {
			return w[:i], n
		}
		if s.relation == child {
			n = n.Parent
			continue
		}
		for n = n.PrevSibling; n != nil && n.Type != html.ElementNode; {
			n = n.PrevSibling
		}
	}
	return nil, nil
}

func (s *step) match(n *html.Node) bool {
	return (s.tag == "" || s.tag == n.Data) && (s.class == "" || hasClass(n, s.class)) && (s.test == nil || s.test(n)) &&
		(s.relation != topmost || n.Parent == nil || n.Parent.Parent == nil)
}
