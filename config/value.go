package config

import (
	"slices"
	"strconv"
	"strings"
)

// value is the access to one field.
type value struct {
	kind string // for people: "duration, 1s to 10m"
	list bool   // accepts any number of texts; every other value accepts exactly one

	// set parses texts into the field. If they are invalid, it returns a Problem without a place and does not change the field.
	set func(texts []string) *Problem
	// show formats the field as in the file, with secrets masked.
	show func() string
	// exact formats the field with its secrets, for comparisons. nil: show masks nothing.
	exact func() string
}

// single returns a value of one text.
func single(kind string, set func(text string) *Problem, show func() string) value {
	return value{kind: kind, set: func(texts []string) *Problem { return set(texts[0]) }, show: show}
}

// text returns a value of one line. The empty text is always valid.
func text(p *string, kind textKind) value {
	return single(kind.name, func(s string) (problem *Problem) {
		if strings.ContainsFunc(s, isControl) {
			return wrong("the value contains a line break or another control character", "write it in one line")
		}
		if s != "" {
			if s, problem = kind.read(s); problem != nil {
				return problem
			}
		}
		*p = s
		return nil
	}, func() string { return *p })
}

// oneOf returns a value of one of a few words.
func oneOf(words []string, set func(string), show func() string) value {
	known := strings.Join(words, ", ")
	return single("word, one of "+known, func(s string) *Problem {
		if !slices.Contains(words, s) {
			return wrong(quote(s)+" is not one of the possible values", "use one of "+known)
		}
		set(s)
		return nil
	}, show)
}

func boolean(p *bool) value {
	v := oneOf([]string{"false", "true"}, func(s string) { *p = s == "true" }, func() string { return strconv.FormatBool(*p) })
	v.kind = "bool, true or false"
	return v
}

// list returns a value of any number of texts, each of which read parses and show formats.
func list[T any](p *[]T, kind string, read func(string) (T, *Problem), show func(T) string) value {
	return value{kind: "list of " + kind, list: true, set: func(texts []string) *Problem {
		all := make([]T, 0, len(texts))
		for _, s := range texts {
			v, problem := read(s)
			if problem != nil {
				return problem
			}
			all = append(all, v)
		}
		*p = all
		return nil
	}, show: func() string {
		shown := make([]string, len(*p))
		for i, v := range *p {
			shown[i] = show(v)
		}
		return spellList(shown)
	}}
}

// spellList formats texts as a list in YAML.
func spellList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = spellText(s, false)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// wrong returns a problem without a place.
func wrong(reason, hint string) *Problem { return &Problem{Reason: reason, Hint: hint} }

// maxQuoted is the maximum length of a quoted value or key in bytes.
const maxQuoted = 80

// quote quotes a text for a message: truncated, and without control characters.
func quote(s string) string {
	if len(s) > maxQuoted {
		s = s[:maxQuoted] + "…"
	}
	return strconv.Quote(s)
}

// printable is quote without the quotes, for a key.
func printable(s string) string { return strings.Trim(quote(s), `"`) }

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
