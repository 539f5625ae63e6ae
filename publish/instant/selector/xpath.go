package selector

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// parsePath parses a subset of XPath 1.0: child (/) and descendant (//) steps, each a name or * with predicates, and at the
// end an attribute or text().
func parsePath(source string) (*Selector, error) {
	p := pathParser{rest: source}
	s := &Selector{}
	var path complexSelector
	for p.rest != "" {
		deep := p.skip("//")
		if !deep && !p.skip("/") {
			return nil, p.syntaxError()
		}
		switch {
		case p.skip("@"):
			s.attribute = p.name()
		case p.skip("text()"):
		default:
			step, err := p.step()
			if err != nil {
				return nil, err
			}
			switch {
			case deep:
			case len(path) == 0:
				step.combinator = topmost
			default:
				step.combinator = child
			}
			path = append(path, step)
			continue
		}
		if p.rest != "" {
			return nil, p.syntaxError()
		}
	}
	if len(path) == 0 {
		return nil, p.syntaxError()
	}
	s.alternatives = []complexSelector{path}
	return s, nil
}

// pathParser consumes a path from its beginning.
type pathParser struct {
	rest  string
	depth int // of nested predicates
}

const maxPathDepth = 8

// skip consumes token and white space before it, and reports whether it did.
func (p *pathParser) skip(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \t\n")
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

// syntaxError describes the unsupported rest of the path.
func (p *pathParser) syntaxError() error {
	if p.rest == "" {
		return errors.New("the path ends too early")
	}
	return fmt.Errorf("unsupported at %.20q", p.rest)
}

// name consumes a name or *. It returns an empty string if there is neither.
func (p *pathParser) name() string {
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

// step consumes a name with its predicates.
func (p *pathParser) step() (compound, error) {
	name := p.name()
	if axis, _, ok := strings.Cut(name, "::"); ok {
		return compound{}, fmt.Errorf("the axis %q is not supported", axis)
	}
	if name == "" {
		return compound{}, p.syntaxError()
	}
	c := compound{tag: strings.TrimPrefix(name, "*")}
	for p.skip("[") {
		test, err := p.or()
		if err != nil {
			return c, err
		}
		if !p.skip("]") {
			return c, p.syntaxError()
		}
		c.test = both(c.test, test)
	}
	return c, nil
}

func both(one, other condition) condition {
	if one == nil {
		return other
	}
	return func(n *html.Node) bool { return one(n) && other(n) }
}

func (p *pathParser) or() (condition, error) {
	if p.depth++; p.depth > maxPathDepth {
		return nil, fmt.Errorf("conditions are nested more than %d deep", maxPathDepth)
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

func (p *pathParser) and() (condition, error) {
	left, err := p.condition()
	for err == nil && p.skip("and ") {
		var right condition
		right, err = p.condition()
		left = both(left, right)
	}
	return left, err
}

// condition consumes not(…), contains(@a,'v'), starts-with(@a,'v'), @a, @a='v', self::name or the name of a child, the last
// two with predicates.
func (p *pathParser) condition() (condition, error) {
	switch {
	case p.skip("not("):
		inner, err := p.or()
		if err == nil && !p.skip(")") {
			err = p.syntaxError()
		}
		if err != nil {
			return nil, err
		}
		return func(n *html.Node) bool { return !inner(n) }, nil
	case p.skip("contains("):
		return p.comparison(",", ")", strings.Contains)
	case p.skip("starts-with("):
		return p.comparison(",", ")", strings.HasPrefix)
	case strings.HasPrefix(strings.TrimLeft(p.rest, " "), "@"):
		return p.comparison("=", "", func(have, want string) bool { return have == want })
	case p.skip("self::"):
		c, err := p.step()
		return c.match, err
	}
	c, err := p.step()
	return func(n *html.Node) bool {
		for one := n.FirstChild; one != nil; one = one.NextSibling {
			if one.Type == html.ElementNode && c.match(one) {
				return true
			}
		}
		return false
	}, err
}

// comparison consumes @name and, after separator, a quoted value to compare with. Without the value, the condition is that
// the attribute exists.
func (p *pathParser) comparison(separator, end string, compare func(have, want string) bool) (condition, error) {
	if !p.skip("@") {
		return nil, p.syntaxError()
	}
	key := p.name()
	if key == "" {
		return nil, p.syntaxError()
	}
	if !p.skip(separator) {
		if end != "" {
			return nil, p.syntaxError()
		}
		return func(n *html.Node) bool { return key == "*" && len(n.Attr) > 0 || hypertext.HasAttr(n, key) }, nil
	}
	want, ok := p.quoted()
	if !ok || !p.skip(end) {
		return nil, p.syntaxError()
	}
	return func(n *html.Node) bool { return hypertext.HasAttr(n, key) && compare(hypertext.Attr(n, key), want) }, nil
}

func (p *pathParser) quoted() (string, bool) {
	for _, quote := range []string{"'", `"`} {
		if p.skip(quote) {
			value, rest, ok := strings.Cut(p.rest, quote)
			p.rest = rest
			return value, ok
		}
	}
	return "", false
}
