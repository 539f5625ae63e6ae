package instant

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// raised returns a layout of an element with raised or lowered text, which the format does not have.
func raised(s *hypertext.Script) layout {
	return func(b *builder, _ *rule, n *html.Node, st style) bool {
		start := len(b.runs)
		b.flow(n, st)
		if start < len(b.runs) && !endsBlank(b.runs[:start]) { // else n has blocks
			rewrite(s, b.runs[start:])
		}
		return true
	}
}

// rewrite writes the text of runs as a script.
func rewrite(s *hypertext.Script, runs []run) {
	var sb strings.Builder
	for _, r := range runs {
		sb.WriteString(r.text)
	}
	before, after, character := s.Write(sb.String())
	for i := range runs {
		runs[i].text = strings.Map(character, runs[i].text)
	}
	if before != "" {
		first, last := &runs[0], &runs[len(runs)-1]
		first.text = before + strings.TrimLeftFunc(first.text, unicode.IsSpace)
		last.text = strings.TrimRightFunc(last.text, unicode.IsSpace) + after
	}
}

// endsBlank reports whether runs do not end with a visible character.
func endsBlank(runs []run) bool {
	if len(runs) == 0 {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(runs[len(runs)-1].text)
	return last == utf8.RuneError || unicode.IsSpace(last)
}
