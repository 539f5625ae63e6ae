package selector

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/feedwire/feedwire/publish/hypertext"
)

func parseCSS(source string) (*Selector, error) {
	s := &Selector{}
	for _, part := range splitOutside(source, ",") {
		c, key, err := parseComplex(part)
		if err != nil {
			return nil, err
		}
		s.alternatives = append(s.alternatives, c)
		if !slices.Contains(s.Keys, key) {
			s.Keys = append(s.Keys, key)
		}
	}
	return s, nil
}

// parseComplex returns a selector without commas, and the key of the elements that match.
func parseComplex(source string) (c complexSelector, key string, err error) {
	for _, sign := range []string{">", "+"} {
		parts := splitOutside(source, sign)
		for i, part := range parts {
			parts[i] = strings.TrimSpace(part)
		}
		source = strings.Join(parts, sign)
	}
	for _, joined := range splitOutside(source, " \t\n") {
		if joined == "" {
			continue
		}
		compounds := splitOutside(joined, ">+")
		if slices.Contains(compounds, "") {
			return c, "", errors.New("it lacks an element")
		}
		parsed, err := cascadia.Parse(joined)
		if err != nil {
			return c, "", err
		}
		c.groups = append(c.groups, group{Matcher: parsed, levels: len(splitOutside(joined, ">")) - 1})
		c.tag, key = keysOf(compounds[len(compounds)-1])
	}
	if c.groups == nil {
		return c, "", errors.New("it lacks an element")
	}
	return c, key, nil
}

// keysOf returns the tag of the elements that a compound matches, and their key, see Keys.
func keysOf(compound string) (tag, key string) {
	tag, rest := hypertext.Identifier(compound)
	tag = strings.ToLower(tag)
	key = tag
	if strings.HasPrefix(rest, ".") {
		key, rest = hypertext.Identifier(rest[1:])
		key = "." + key
	}
	if strings.HasPrefix(rest, `\`) {
		return "", "" // the name continues with an escaped character
	}
	return tag, key
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
