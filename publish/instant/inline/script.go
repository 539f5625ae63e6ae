package inline

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// Raise writes runs that follow others as raised or lowered text. It changes nothing if they do not follow a visible character.
func Raise(s *hypertext.Script, before, runs []Run) {
	if len(runs) == 0 || endsBlank(before) {
		return
	}
	var sb strings.Builder
	for _, r := range runs {
		sb.WriteString(r.Text)
	}
	opening, closing, character := s.Write(sb.String())
	for i := range runs {
		runs[i].Text = strings.Map(character, runs[i].Text)
	}
	if opening != "" {
		first, last := &runs[0], &runs[len(runs)-1]
		first.Text = opening + strings.TrimLeftFunc(first.Text, unicode.IsSpace)
		last.Text = strings.TrimRightFunc(last.Text, unicode.IsSpace) + closing
	}
}

// endsBlank reports whether runs do not end with a visible character.
func endsBlank(runs []Run) bool {
	if len(runs) == 0 {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(runs[len(runs)-1].Text)
	return last == utf8.RuneError || unicode.IsSpace(last)
}
