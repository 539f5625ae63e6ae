package feed

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Form is how a subscriber wants the news of a source. The zero value is news as it is distributed. Documents that are delivered
// unchanged have no other form.
type Form struct {
	JSON   bool   // JSON Feed, whatever the format of the source
	Filter string // a NewsFilter as ParseNewsFilter reads it; empty: all entries
}

// Format returns the value of hub.format.
func (f Form) Format() string {
	if f.JSON {
		return "json"
	}
	return ""
}

// Rules returns the rules of the filter.
func (f Form) Rules() []string {
	if f.Filter == "" {
		return nil
	}
	return strings.Split(f.Filter, "\n")
}

// newsTexts returns the texts of an entry that a rule of a NewsFilter for a field matches. It reports false for an unknown field.
func newsTexts(field string) (texts func(*Entry) []string, known bool) {
	if field == "source" {
		return func(e *Entry) []string { return []string{e.Extra["source_title"], e.Extra["source_url"]} }, true
	}
	at := slices.Index(FilterFields(), field)
	if at < 0 {
		return nil, false
	}
	return filterTexts[at].texts, true
}

// Bounds of a NewsFilter, which a stranger wrote. A match takes time in proportion to the texts and the rules.
const (
	maxNewsRules = 16
	maxNewsText  = 128 // bytes of a rule
)

// NewsFilter selects entries for a subscriber: those that match none of its rules with "!" and, if it has others, one of these.
type NewsFilter []newsRule

type newsRule struct {
	not   bool
	whole bool // the text is compared, not searched
	texts func(*Entry) []string
	text  string // folded
}

// ParseNewsFilter parses a filter, one rule in each line: "category=Harbour", "!title=ferry". The error is ErrInvalid.
func ParseNewsFilter(lines string) (all NewsFilter, err error) {
	for line := range strings.SplitSeq(lines, "\n") {
		rest, not := strings.CutPrefix(line, "!")
		field, text, _ := strings.Cut(rest, "=")
		text = fold(strings.TrimSpace(text))
		texts, known := newsTexts(field)
		switch {
		case !known || text == "" || !utf8.ValidString(line):
			return nil, fmt.Errorf("%w filter: write FIELD=TEXT or !FIELD=TEXT; FIELD is any, title, content, link, source, author or category", ErrInvalid)
		case len(line) > maxNewsText:
			return nil, fmt.Errorf("%w filter: a rule has at most %d bytes", ErrInvalid, maxNewsText)
		case len(all) == maxNewsRules:
			return nil, fmt.Errorf("%w filter: at most %d rules are allowed", ErrInvalid, maxNewsRules)
		}
		all = append(all, newsRule{not, field == "author" || field == "category", texts, text})
	}
	return all, nil
}

// Match reports whether the filter selects an entry.
func (f NewsFilter) Match(e *Entry) bool {
	selected := !slices.ContainsFunc(f, func(r newsRule) bool { return !r.not })
	for _, r := range f {
		if r.matches(e) {
			if r.not {
				return false
			}
			selected = true
		}
	}
	return selected
}

func (r newsRule) matches(e *Entry) bool {
	return slices.ContainsFunc(r.texts(e), func(text string) bool {
		text = fold(text[:min(len(text), maxFilterInput)])
		return text == r.text || !r.whole && strings.Contains(text, r.text)
	})
}

// fold returns a text that is the same in any case of its letters. The lower case alone is not: both σ and ς are Σ in upper case.
func fold(text string) string { return strings.ToLower(strings.ToUpper(text)) }
