package search

import (
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	passageSize = 240      // bytes
	passageLead = 60       // bytes before the first match
	passageText = 64 << 10 // bytes of a text that are searched for a match
)

// passage returns the part of a text where terms match, or its beginning.
func (x *Index) passage(p *plan, t *texts) []feed.Segment {
	text := t.body
	if len(text) > passageText {
		text = strings.ToValidUTF8(text[:passageText], "")
	}
	var matching []*analysis.Token
	for _, w := range x.words(t.language, text) {
		if p.marks(t.language, string(w.Term)) {
			matching = append(matching, w)
		}
	}
	start := 0
	if len(matching) > 0 && matching[0].Start > passageLead {
		start = wordAfter(text, matching[0].Start-passageLead)
	}
	end := len(text)
	if end-start > passageSize {
		end = wordBefore(text, start+passageSize)
	}
	var all []feed.Segment
	add := func(part string, match bool) {
		if part != "" {
			all = append(all, feed.Segment{Text: part, Match: match})
		}
	}
	if start > 0 {
		add("… ", false)
	}
	at := start
	for _, w := range matching {
		if w.Start >= at && w.End <= end {
			add(text[at:w.Start], false)
			add(text[w.Start:w.End], true)
			at = w.End
		}
	}
	if at < end {
		add(text[at:end], false)
	}
	if end < len(text) {
		add(" …", false)
	}
	return all
}

// marks reports whether a word of an entry in a language belongs to a term that matches.
func (p *plan) marks(language, word string) bool {
	for i := range p.terms {
		t := &p.terms[i]
		if t.Not || t.Field != feed.SearchAnywhere {
			continue
		}
		for _, w := range t.words[language] {
			if w == word || t.Prefix && strings.HasPrefix(word, w) {
				return true
			}
		}
	}
	return false
}

// wordAfter returns the place of the first word that begins after a place in a text.
func wordAfter(text string, at int) int {
	if i := strings.IndexAny(text[at:], " \n"); i >= 0 && i < passageLead {
		return at + i + 1
	}
	return runeStart(text, at)
}

// wordBefore returns the place after the last word that ends before a place in a text.
func wordBefore(text string, at int) int {
	if i := strings.LastIndexAny(text[:at], " \n"); i >= 0 && at-i < passageLead {
		return i
	}
	return runeStart(text, at)
}

// runeStart returns the place of the character that a place in a text belongs to.
func runeStart(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
