package config

import (
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// value is how one field is read and shown.
type value struct {
	kind string // for people: "duration, 1s to 10m"
	list bool   // it takes any number of texts; every other value takes exactly one

	// set reads texts into the field. It returns nil, or what is wrong with them as a Problem without a place; the
	// field is then as it was.
	set func(texts []string) *Problem
	// show is the field in the spelling of the file, secrets masked.
	show func() string
	// exact is the field with its secrets, to compare with; nil: show hides nothing.
	exact func() string
}

// masked is a value of which show hides something.
func masked(v value, exact func() string) value {
	v.exact = exact
	return v
}

// single is a value of one text.
func single(kind string, set func(text string) *Problem, show func() string) value {
	return value{kind: kind, set: func(texts []string) *Problem { return set(texts[0]) }, show: show}
}

// text is a text in one line that check accepts. The empty text is always accepted, and a nil check accepts all.
func text(p *string, kind string, check func(string) *Problem) value {
	return single(kind, func(s string) *Problem {
		if strings.ContainsFunc(s, isControl) {
			return wrong(quote(s)+" holds a line break or another control character", "write it in one line")
		}
		if check != nil && s != "" {
			if problem := check(s); problem != nil {
				return problem
			}
		}
		*p = s
		return nil
	}, func() string { return *p })
}

// oneOf is one of a few words, each of which stands for a T.
func oneOf[T comparable](p *T, words map[string]T) value {
	known := strings.Join(slices.Sorted(maps.Keys(words)), ", ")
	return single("word, one of "+known, func(s string) *Problem {
		v, ok := words[s]
		if !ok {
			return wrong(quote(s)+" is not one of the possible values", "use one of "+known)
		}
		*p = v
		return nil
	}, func() string {
		for word, v := range words {
			if v == *p {
				return word
			}
		}
		return ""
	})
}

// words is what oneOf takes where each word stands for itself.
func words[T ~string](list ...T) map[string]T {
	m := make(map[string]T, len(list))
	for _, word := range list {
		m[string(word)] = word
	}
	return m
}

// levels are the words for the levels of the log.
func levels() map[string]slog.Level {
	return map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	}
}

// boolean is true or false.
func boolean(p *bool) value {
	v := oneOf(p, map[string]bool{"true": true, "false": false})
	v.kind = "bool, true or false"
	return v
}

// list is any number of texts. Read brings each to its one spelling, or says what is wrong with it.
func list(p *[]string, kind string, read func(string) (string, *Problem)) value {
	return listOf(p, kind, read, func(s string) string { return s })
}

// listOf is a list of what read makes of each text and show writes again.
func listOf[T any](p *[]T, kind string, read func(string) (T, *Problem), show func(T) string) value {
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
			shown[i] = spellText(show(v), false)
		}
		return "[" + strings.Join(shown, ", ") + "]"
	}}
}

// wrong is a problem whose place is not known yet.
func wrong(reason, hint string) *Problem { return &Problem{Reason: reason, Hint: hint} }

// maxQuoted bounds what is quoted of a value or key, in bytes.
const maxQuoted = 80

// quote is a text as it may stand in a message: cut, and with nothing that a terminal would act on.
func quote(s string) string {
	if len(s) > maxQuoted {
		s = s[:maxQuoted] + "…"
	}
	return strconv.Quote(s)
}

// printable is quote without the quotes, for a key.
func printable(s string) string { return strings.Trim(quote(s), `"`) }

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
