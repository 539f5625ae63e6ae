package hypertext

import (
	"cmp"
	"strings"
	"unicode"
)

// Script is a way to write raised or lowered text where there is no element for it: 10<sup>6</sup> must not become 106.
type Script struct {
	characters map[rune]rune // raised or lowered
	opening    string        // before text with other characters
	inline     string        // text that means the same in line, separated by spaces
}

// Superscript and Subscript are the two ways.
var (
	Superscript = &Script{
		characters: zip("0123456789+-−=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"), opening: "^(",
		inline: "st nd rd th er re ère e ème m me d de te o a os as ª º ° ® ™ TM © * ** † ‡ § ′ ″", // ordinals and marks
	}
	Subscript = &Script{
		characters: zip("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"), opening: "_(",
	}
)

// zip maps each character of from to that of to.
func zip(from, to string) map[rune]rune {
	all, values := make(map[rune]rune), []rune(to)
	for i, r := range []rune(from) {
		all[r] = values[i]
	}
	return all
}

// Write returns how to write text after other text: what to write before and after it, and instead of each of its characters.
func (s *Script) Write(text string) (before, after string, character func(rune) rune) {
	same := func(r rune) rune { return r }
	text = strings.TrimSpace(text)
	switch {
	case text == "" || text[0] == '[' || HasWord(s.inline, text):
		return "", "", same
	case strings.ContainsFunc(text, func(r rune) bool { return s.characters[r] == 0 && !unicode.IsSpace(r) }):
		return s.opening, ")", same
	}
	return "", "", func(r rune) rune { return cmp.Or(s.characters[r], r) }
}
