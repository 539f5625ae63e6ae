package selector

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/feedwire/feedwire/publish/hypertext"
)

func parseCSS(source string) (*Selector, error) {
	s := &Selector{}
	for _, part := range splitOutside(source, ",") {
		c, err := parseComplex(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		s.alternatives = append(s.alternatives, c)
	}
	return s, nil
}

func parseComplex(source string) (complexSelector, error) {
	for _, sign := range []string{">", "+"} {
		source = strings.Join(splitOutside(source, sign), " "+sign+" ")
	}
	var c complexSelector
	next := descendant
	for _, part := range splitOutside(source, " \t\n") {
		switch part {
		case "":
		case ">", "+":
			if next != descendant || c == nil {
				return nil, errors.New("it lacks an element")
			}
			next = child
			if part == "+" {
				next = adjacent
			}
		default:
			one, err := parseCompound(part)
			if err != nil {
				return nil, err
			}
			one.combinator, next = next, descendant
			c = append(c, one)
		}
	}
	if c == nil || next != descendant {
		return nil, errors.New("it lacks an element")
	}
	return c, nil
}

func parseCompound(source string) (compound, error) {
	tag, rest := hypertext.Identifier(source)
	c := compound{tag: strings.ToLower(tag)}
	if strings.HasPrefix(rest, ".") {
		c.class, rest = hypertext.Identifier(rest[1:])
	}
	if rest == "" && (c.tag != "" || c.class != "") || source == "*" {
		return c, nil
	}
	if err := checkSupported(source); err != nil {
		return c, err
	}
	parsed, err := cascadia.Parse(source)
	if err != nil {
		return c, err
	}
	c.test = parsed.Match
	return c, nil
}

// checkSupported refuses conditions that cascadia decides by searching other elements of the document.
func checkSupported(source string) error {
	bare := attributes.ReplaceAllString(source, "")
	if strings.Contains(bare, "~") || strings.Contains(source, "#=") {
		return errors.New("later siblings (~) and regular expressions (#=) are not supported")
	}
	for _, part := range strings.Split(bare, ":")[1:] {
		switch name, rest := hypertext.Identifier(part); {
		case name == "empty" || name == "root":
		case name == "not" && strings.HasPrefix(rest, "(") && !strings.ContainsAny(rest, " >+"):
		default:
			return fmt.Errorf("the pseudo-class :%s is not supported", name)
		}
	}
	return nil
}

var attributes = regexp.MustCompile(`\[[^\]]*\]`)

// splitOutside splits s at each byte of separators that is outside of brackets and quotes.
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
