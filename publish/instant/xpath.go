package instant

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// parsePath reads a path in the part of XPath 1.0 that rule files use: child (/) and descendant (//) steps, each a name or
// * with conditions in brackets, and at the end an attribute or text().
func parsePath(source string) (*selector, error) {
	p := pathReader{rest: source}
	s := &selector{ways: make([]way, 1)}
	for p.rest != "" {
		deep := p.skip("//")
		if !deep && !p.skip("/") {
			return nil, p.unexpected()
		}
		switch {
		case p.skip("@"):
			s.leaf.attribute = p.name()
		case p.skip("text()"):
			s.leaf.text = true
		default:
			st, err := p.step()
			switch {
			case err != nil:
				return nil, err
			case deep:
				st.relation = within
			case len(s.ways[0]) == 0:
				st.relation = topmost
			default:
				st.relation = child
			}
			s.ways[0] = append(s.ways[0], st)
			continue
		}
		if p.rest != "" {
			return nil, p.unexpected()
		}
	}
	if len(s.ways[0]) == 0 {
		return nil, p.unexpected()
	}
	return s, nil
}

// pathReader reads a path from its beginning.
type pathReader struct {
	rest  string
	depth int // of brackets
}

const maxPathDepth = 8

func (p *pathReader) skip(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \t\n")
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *pathReader) unexpected() error {
	if p.rest == "" {
		return fmt.Errorf("the path ends too early")
	}
	return fmt.Errorf("unsupported at %.20q", p.rest)
}

// name reads a name or *; empty: there is none.
func (p *pathReader) name() string {
	if p.skip("*") {
		return "*"
	}
	end := strings.IndexFunc(p.rest, func(r rune) bool {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune("-_.:", r)
	})
	if end < 0 {
		end = len(p.rest)
	}
	name := strings.ToLower(p.rest[:end])
	p.rest = p.rest[end:]
	return name
}

func (p *pathReader) step() (step, error) {
	name := p.name()
	if axis, _, ok := strings.Cut(name, "::"); ok {
		return step{}, fmt.Errorf("the axis %q is not supported", axis)
	}
	if name == "" {
		return step{}, p.unexpected()
	}
	s := step{tag: strings.TrimPrefix(name, "*")}
	for p.skip("[") {
		test, err := p.or()
		if err != nil {
			return s, err
		}
		if !p.skip("]") {
			return s, p.unexpected()
		}
		s.test = both(s.test, test)
	}
	return s, nil
}

func both(one, other condition) condition {
	if one == nil {
		return other
	}
	return func(n *html.Node) bool { return one(n) && other(n) }
}

func (p *pathReader) or() (condition, error) {
	if p.depth++; p.depth > maxPathDepth {
		return nil, fmt.Errorf("more than %d conditions within each other", maxPathDepth)
	}
	defer func() { p.depth-- }()
	left, err := p.and()
	for err == nil && p.skip("or ") {
		var right condition
		one := left
		right, err = p.and()
		left = func(n *html.Node) bool { return one(n) || right(n) }
	}
	return left, err
}

func (p *pathReader) and() (condition, error) {
	left, err := p.test()
	for err == nil && p.skip("and ") {
		var right condition
		right, err = p.test()
		left = both(left, right)
	}
	return left, err
}

// test reads one condition: not(…), contains(@a,'v'), @a, @a='v', self::name or the name of a child with conditions.
func (p *pathReader) test() (condition, error) {
	switch {
	case p.skip("not("):
		inner, err := p.or()
		if err != nil || !p.skip(")") {
			return nil, p.expected(err)
		}
		return func(n *html.Node) bool { return !inner(n) }, nil
	case p.skip("contains("):
		return p.compare(",", ")", strings.Contains)
	case p.skip("starts-with("):
		return p.compare(",", ")", strings.HasPrefix)
	case strings.HasPrefix(strings.TrimLeft(p.rest, " "), "@"):
		return p.compare("=", "", func(have, want string) bool { return have == want })
	case p.skip("self::"):
		s, err := p.step()
		return s.match, err
	}
	s, err := p.step()
	return func(n *html.Node) bool {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode && s.match(c) {
				return true
			}
		}
		return false
	}, err
}

// expected is err, or that the next token is none of those known.
func (p *pathReader) expected(err error) error {
	if err != nil {
		return err
	}
	return p.unexpected()
}

// compare reads @name, and after separator a text in quotes that its value is compared with. Without the text the
// attribute only has to be there.
func (p *pathReader) compare(separator, end string, same func(have, want string) bool) (condition, error) {
	if !p.skip("@") {
		return nil, p.unexpected()
	}
	key := p.name()
	if key == "" {
		return nil, p.unexpected()
	}
	if !p.skip(separator) {
		if end != "" {
			return nil, p.unexpected()
		}
		return func(n *html.Node) bool { return key == "*" && len(n.Attr) > 0 || hasAttr(n, key) }, nil
	}
	want, ok := p.quoted()
	if !ok || !p.skip(end) {
		return nil, p.unexpected()
	}
	return func(n *html.Node) bool { return hasAttr(n, key) && same(attr(n, key), want) }, nil
}

func (p *pathReader) quoted() (string, bool) {
	for _, quote := range []string{"'", `"`} {
		if p.skip(quote) {
			value, rest, ok := strings.Cut(p.rest, quote)
			p.rest = rest
			return value, ok
		}
	}
	return "", false
}
