package selector

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// pathEnd is the attribute or the text that a path may end in.
var pathEnd = regexp.MustCompile(`//?(?:@([\w.:-]+)|text\(\))\s*$`)

// parsePath parses a subset of XPath 1.0: child (/) and descendant (//) steps, each a name or * with predicates, and at the
// end an attribute or text().
func parsePath(source string) (*Selector, error) {
	p, attribute := pathParser{rest: source}, ""
	if end := pathEnd.FindStringSubmatch(source); end != nil {
		p.rest, attribute = strings.TrimSuffix(source, end[0]), strings.ToLower(end[1])
	}
	var css strings.Builder
	for p.rest != "" {
		if p.skip("//") {
			css.WriteString(" ")
		} else {
			p.expect("/")
			css.WriteString(">")
		}
		css.WriteString(p.step())
	}
	if p.err != nil {
		return nil, p.err
	}
	s, err := parseCSS(strings.TrimPrefix(css.String(), ">"))
	if err != nil {
		return nil, err
	}
	s.Attribute = attribute
	s.alternatives[0].groups[0].topmost = !strings.HasPrefix(source, "//")
	return s, nil
}

// pathParser consumes a path from its beginning and translates it to CSS. An error ends the path.
type pathParser struct {
	rest  string
	depth int // of nested predicates
	err   error
}

const maxPathDepth = 8

// fail ends the path with an error, unless it has ended with one.
func (p *pathParser) fail(err error) {
	p.err, p.rest = cmp.Or(p.err, err), ""
}

// failSyntax ends the path with an error about its rest, which is not supported.
func (p *pathParser) failSyntax() {
	if p.rest == "" {
		p.fail(errors.New("the path ends too early"))
		return
	}
	p.fail(fmt.Errorf("unsupported at %.20q", p.rest))
}

// skip consumes token and white space before it, and reports whether it did.
func (p *pathParser) skip(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \t\n")
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

// errPosition refuses conditions that count the siblings of an element.
var errPosition = errors.New("positions such as [1] and [last()] are not supported: a property takes the first match without one; " +
	"otherwise select by a class or an attribute, for example [@class='lead']")

// atDigit reports whether a digit follows white space.
func (p *pathParser) atDigit() bool {
	return p.skip("") && p.rest != "" && p.rest[0] >= '0' && p.rest[0] <= '9'
}

func (p *pathParser) expect(token string) {
	if !p.skip(token) {
		p.failSyntax()
	}
}

// name consumes a name or *.
func (p *pathParser) name() string {
	if p.skip("*") {
		return "*"
	}
	after := strings.TrimLeft(p.rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:")
	name := strings.ToLower(p.rest[:len(p.rest)-len(after)])
	if name == "" {
		p.failSyntax()
		return ""
	}
	p.rest = after
	return name
}

// escaper escapes the characters of names that have another meaning in CSS.
var escaper = strings.NewReplacer(".", `\.`, ":", `\:`)

// step consumes a name with its predicates.
func (p *pathParser) step() string {
	name := p.name()
	if axis, _, ok := strings.Cut(name, "::"); ok {
		p.fail(fmt.Errorf("the axis %q is not supported", axis))
	}
	css := escaper.Replace(name)
	for p.skip("[") {
		css += p.or()
		p.expect("]")
	}
	return css
}

func (p *pathParser) or() string {
	if p.depth++; p.depth > maxPathDepth {
		p.fail(fmt.Errorf("conditions are nested more than %d deep", maxPathDepth))
		return ""
	}
	defer func() { p.depth-- }()
	alternatives := []string{p.and()}
	for p.skip("or ") {
		alternatives = append(alternatives, p.and())
	}
	return ":not(:not(" + strings.Join(alternatives, "):not(") + "))" // CSS has no other way to write it
}

func (p *pathParser) and() string {
	all := p.condition()
	for p.skip("and ") {
		all += p.condition()
	}
	return all
}

// condition consumes not(…), contains(@a,'v'), starts-with(@a,'v'), @a, @a='v', self::name or the name of a child, the last
// two with predicates.
func (p *pathParser) condition() string {
	switch {
	case p.skip("not("):
		inner := p.or()
		p.expect(")")
		return ":not(" + inner + ")"
	case p.skip("contains("):
		return p.function("%s")
	case p.skip("starts-with("):
		return p.function(`^\s*%s`)
	case p.skip("@"):
		name := escaper.Replace(p.name())
		if p.skip("=") {
			return "[" + name + "#=" + fmt.Sprintf(`^\s*%s\s*$`, p.literal()) + "]"
		}
		return "[" + name + "]"
	case p.skip("position("), p.skip("last("), p.atDigit():
		p.fail(errPosition)
	case p.skip("self::"):
		return ":not(:not(" + p.step() + "))"
	}
	return ":haschild(" + p.step() + ")"
}

// function consumes the arguments of a function: @name and a quoted value, which the attribute must have as the pattern says.
func (p *pathParser) function(pattern string) string {
	p.expect("@")
	name := escaper.Replace(p.name())
	p.expect(",")
	value := p.literal()
	p.expect(")")
	return "[" + name + "#=" + fmt.Sprintf(pattern, value) + "]"
}

// literal consumes a quoted value and returns it as a regular expression, in which no character ends a selector.
func (p *pathParser) literal() string {
	quote := `"`
	if p.skip("'") {
		quote = "'"
	} else {
		p.expect(quote)
	}
	value, rest, ok := strings.Cut(p.rest, quote)
	if !ok {
		p.failSyntax()
	}
	p.rest = rest
	var pattern strings.Builder
	for _, r := range value {
		fmt.Fprintf(&pattern, `\x{%x}`, r)
	}
	return pattern.String()
}
