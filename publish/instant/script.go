package instant

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// script is a way to write raised or lowered text without an element, which the format does not have: 10<sup>6</sup> must not
// become 106.
type script struct {
	characters map[rune]rune // raised or lowered
	opening    string        // before text with other characters; it ends with a parenthesis
	inline     string        // text that means the same in line, separated by spaces
}

var superscript = script{
	characters: zip("0123456789+-−=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"), opening: "^(",
	inline: "st nd rd th er re ère e ème m me d de te o a os as ª º ° ® ™ TM © * ** † ‡ § ′ ″", // ordinals and marks
}

var subscript = script{
	characters: zip("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"), opening: "_(",
}

// zip maps each character of from to that of to.
func zip(from, to string) map[rune]rune {
	all, values := make(map[rune]rune), []rune(to)
	for i, r := range []rune(from) {
		all[r] = values[i]
	}
	return all
}

// lay lays out an element with raised or lowered text.
func (s *script) lay(b *builder, _ *rule, n *html.Node, st style) {
	start := len(b.runs)
	b.flow(n, st)
	if start <= len(b.runs) { // else n has blocks
		s.convert(b.runs[:start], b.runs[start:])
	}
}

// convert replaces the text of runs that follow the base.
func (s *script) convert(base, runs []run) {
	var sb strings.Builder
	for _, r := range runs {
		sb.WriteString(r.text)
	}
	text := strings.TrimSpace(sb.String())
	unknown := func(r rune) bool { return s.characters[r] == 0 && !unicode.IsSpace(r) }
	switch {
	case text == "" || text[0] == '[' || hypertext.HasWord(s.inline, text) || endsBlank(base):
	case strings.ContainsFunc(text, unknown):
		first, last := &runs[0], &runs[len(runs)-1]
		first.text = s.opening + strings.TrimLeftFunc(first.text, unicode.IsSpace)
		last.text = strings.TrimRightFunc(last.text, unicode.IsSpace) + ")"
	default:
		for i := range runs {
			runs[i].text = strings.Map(func(r rune) rune { return cmp.Or(s.characters[r], r) }, runs[i].text)
		}
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
