package body

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// maxSettled bounds the nesting of settled markup.
const maxSettled = 32

var (
	// settledLines are blocks whose content is text and inline elements.
	settledLines = hypertext.WordSet("p h1 h2 h3 h4 h5 h6 pre summary")
	// settledBlocks are blocks that contain others.
	settledBlocks = hypertext.WordSet("article aside blockquote dd details div dl dt figcaption figure footer header li main nav ol section ul")
	// settledVoid are elements without content.
	settledVoid = hypertext.WordSet("br hr img wbr")
	// settledParents are the only parents that an element may have. An HTML parser closes other elements around it.
	settledParents = map[string]string{"li": "ol ul", "dt": "dl", "dd": "dl"}
	// settledAddresses are the attributes with addresses.
	settledAddresses = hypertext.WordSet("href src srcset cite")
)

// settler reads markup that needs no further checks.
type settler struct {
	*Cleaner
	rest string
	open []string // tags, outermost first
	line int      // index in open of the outermost element whose content is text and inline elements; -1: there is none
}

// settled reports whether the checks after the writer certainly return markup as it is: it consists of escaped text and correctly nested
// elements, of a subset of the allowlist that HTML parsers read as it is written. Tables, formulas and players are never settled.
func (c *Cleaner) settled(markup string) bool {
	s := &settler{Cleaner: c, rest: markup, open: make([]string, 0, maxSettled), line: -1}
	for s.rest != "" {
		switch {
		case strings.HasPrefix(s.rest, "</"):
			if !s.end() {
				return false
			}
		case s.rest[0] == '<':
			if !s.start() {
				return false
			}
		default:
			text := s.until('<')
			if !escaped(text) {
				return false
			}
		}
	}
	return len(s.open) == 0
}

// until removes what precedes a byte; everything if there is none.
func (s *settler) until(end byte) string {
	i := strings.IndexByte(s.rest, end)
	if i < 0 {
		i = len(s.rest)
	}
	text := s.rest[:i]
	s.rest = s.rest[i:]
	return text
}

// end reads an end tag. It reports whether that closes the innermost element.
func (s *settler) end() bool {
	last := len(s.open) - 1
	if last < 0 {
		return false
	}
	rest, ok := strings.CutPrefix(s.rest[len("</"):], s.open[last]+">")
	s.rest, s.open = rest, s.open[:last]
	if s.line == last {
		s.line = -1
	}
	return ok
}

// start reads a start tag. It reports whether the element is allowed where it is.
func (s *settler) start() bool {
	tag, ok := s.name()
	if !ok || !s.tags[tag] || !s.mayStart(tag) {
		return false
	}
	for strings.HasPrefix(s.rest, " ") {
		if !s.attribute(tag) {
			return false
		}
	}
	if settledVoid[tag] {
		s.rest, ok = strings.CutPrefix(s.rest, "/>")
		return ok
	}
	if s.line < 0 && !settledBlocks[tag] {
		s.line = len(s.open)
	}
	s.open = append(s.open, tag)
	s.rest, ok = strings.CutPrefix(s.rest, ">")
	return ok && (tag != "pre" || !strings.HasPrefix(s.rest, "\n")) // a parser ignores that line end
}

// mayStart reports whether an element may begin here.
func (s *settler) mayStart(tag string) bool {
	switch parents, bound := settledParents[tag]; {
	case len(s.open) == maxSettled:
		return false
	case bound:
		return s.line < 0 && len(s.open) > 0 && hypertext.HasWord(parents, s.open[len(s.open)-1])
	case tag == "hr", settledBlocks[tag], settledLines[tag]:
		return s.line < 0
	case tag == "a":
		return !slices.Contains(s.open, tag)
	}
	return inline[tag] || settledVoid[tag]
}

// name reads "<" and a name.
func (s *settler) name() (string, bool) {
	i := 1
	for i < len(s.rest) && ('a' <= s.rest[i] && s.rest[i] <= 'z' || '1' <= s.rest[i] && s.rest[i] <= '6') {
		i++
	}
	name := s.rest[1:i]
	s.rest = s.rest[i:]
	return name, name != ""
}

// attribute reads an attribute and the space before it. It reports whether it is allowed.
func (s *settler) attribute(tag string) bool {
	key, rest, ok := strings.Cut(s.rest[1:], `="`)
	if !ok || !slices.Contains(s.attributes[tag], key) {
		return false
	}
	s.rest = rest
	value := s.until('"')
	if s.rest == "" || !escaped(value) || settledAddresses[key] && !isAddress(key, value) {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// isAddress reports whether the escaped value of an attribute is an absolute http or https address, or a set that begins with one.
func isAddress(key, value string) bool {
	if !strings.HasPrefix(value, "https://") && !strings.HasPrefix(value, "http://") {
		return false
	}
	if key == "srcset" {
		return true
	}
	value = html.UnescapeString(value)
	u, err := url.Parse(value)
	return err == nil && u.String() == value && !strings.ContainsAny(value, " \t\n")
}

// escaped reports whether text is written as html.EscapeString writes it, and has no control characters other than tabs and line ends.
func escaped(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '&':
			if !isEscape(text[i:]) {
				return false
			}
		case c == '<' || c == '>' || c == '"' || c == '\'', c < ' ' && c != '\n' && c != '\t':
			return false
		}
	}
	return true
}

// isEscape reports whether text begins with one of the references that html.EscapeString writes.
func isEscape(text string) bool {
	for _, reference := range [...]string{"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"} {
		if strings.HasPrefix(text, reference) {
			return true
		}
	}
	return false
}
