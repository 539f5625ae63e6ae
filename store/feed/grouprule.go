package feed

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of rules.
const (
	MaxRuledGroups = 100 // groups with rules
	MaxGroupRules  = 32  // of a group
	maxRuleValue   = 2048
)

// GroupRule selects entries for a group: "category:sport".
type GroupRule struct {
	Prefix string // one of GroupPrefixes
	Value  string
}

// groupPrefix says how the rules with a prefix select entries.
type groupPrefix struct {
	name    string
	matches func(e *Entry, value string) bool
}

var groupPrefixes = []groupPrefix{
	{"author", func(e *Entry, value string) bool { return anyFold(e.Authors, value) }},
	{"category", func(e *Entry, value string) bool { return anyFold(termsAndLabels(e), value) }},
	{"source", func(e *Entry, value string) bool { return e.FeedURL == value }},
	{"title", func(e *Entry, value string) bool {
		return containsWords(e.Title[:min(len(e.Title), maxFilterInput)], value)
	}},
}

// GroupPrefixes returns the prefixes of rules.
func GroupPrefixes() (all []string) {
	for _, p := range groupPrefixes {
		all = append(all, p.name)
	}
	return all
}

// ParseGroupRule parses "category:sport". The error is ErrInvalid.
func ParseGroupRule(s string) (GroupRule, error) {
	prefix, value, ok := strings.Cut(s, ":")
	rule := GroupRule{strings.TrimSpace(prefix), strings.Join(strings.Fields(value), " ")}
	switch {
	case !ok:
		return rule, fmt.Errorf("%w rule %.64q: write prefix:value, as category:sport", ErrInvalid, s)
	case !slices.Contains(GroupPrefixes(), rule.Prefix):
		return rule, fmt.Errorf("%w rule: there is no prefix %.32q; there are: %s", ErrInvalid, rule.Prefix, strings.Join(GroupPrefixes(), ", "))
	case rule.Value == "" || len(rule.Value) > maxRuleValue:
		return rule, fmt.Errorf("%w rule %.64q: the value after the colon has %d bytes, use 1 to %d", ErrInvalid, s, len(rule.Value), maxRuleValue)
	}
	return rule, nil
}

// String returns the rule as ParseGroupRule parses it.
func (r GroupRule) String() string { return r.Prefix + ":" + r.Value }

// Matches reports whether the rule selects an entry.
func (r GroupRule) Matches(e *Entry) bool {
	return slices.ContainsFunc(groupPrefixes, func(p groupPrefix) bool { return p.name == r.Prefix && p.matches(e, r.Value) })
}

// Selected is an entry and the groups whose rules select it.
type Selected struct {
	Entry  Entry
	Groups []string
}

// RuledGroup is a group of which entries become members by rule.
type RuledGroup struct {
	Name  string
	Rules []GroupRule // one of which selects an entry
}

// RuledGroups are all groups with rules.
type RuledGroups []RuledGroup

// Of returns the names of the groups whose rules select an entry.
func (all RuledGroups) Of(e *Entry) (names []string) {
	for _, g := range all {
		if slices.ContainsFunc(g.Rules, func(r GroupRule) bool { return r.Matches(e) }) {
			names = append(names, g.Name)
		}
	}
	return names
}

// Has reports whether a group has rules.
func (all RuledGroups) Has(name string) bool {
	return slices.ContainsFunc(all, func(g RuledGroup) bool { return g.Name == name })
}

// Digest changes with the rules.
func (all RuledGroups) Digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", all))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// anyFold reports whether one of some texts is a value, whatever their case.
func anyFold(texts []string, value string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.EqualFold(strings.Join(strings.Fields(text), " "), value) })
}

// containsWords reports whether a text contains words that follow each other, whatever their case.
func containsWords(text, words string) bool {
	text, words = strings.ToLower(strings.Join(strings.Fields(text), " ")), strings.ToLower(words)
	first, _ := utf8.DecodeRuneInString(words)
	last, _ := utf8.DecodeLastRuneInString(words)
	for at := 0; ; {
		i := strings.Index(text[at:], words)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		after, _ := utf8.DecodeRuneInString(text[at+i+len(words):])
		if !joined(before, first) && !joined(last, after) {
			return true
		}
		at += i + utf8.RuneLen(first)
	}
}

// joined reports whether two characters that follow each other are in one word. Scripts without spaces have no words here.
func joined(a, b rune) bool { return inWord(a) && inWord(b) }

func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
