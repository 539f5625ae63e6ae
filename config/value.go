package config

import (
	"slices"
	"strconv"
	"strings"
	"time"
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

// word returns a parser of one of a few words.
func word(words []string) func(string) (string, *Problem) {
	return accept(func(s string) bool { return slices.Contains(words, s) }, "%s is not one of the possible values",
		"use one of "+strings.Join(words, ", "))
}

// oneOf returns a value of one of a few words.
func oneOf(words []string, set func(string), show func() string) value {
	return single("word, one of "+strings.Join(words, ", "), func(s string) *Problem {
		s, problem := word(words)(s)
		if problem == nil {
			set(s)
		}
		return problem
	}, show)
}

func boolean(p *bool) value {
	v := oneOf([]string{"false", "true"}, func(s string) { *p = s == "true" }, func() string { return strconv.FormatBool(*p) })
	v.kind = "bool, true or false"
	return v
}

// number returns a value in a range such as "1s to 10m" or "1s to 10m, or 0". The hint explains how to write one.
func number[T int | int64 | time.Duration](p *T, noun, hint, span string, parse func(string) (T, bool), spell func(T) string) value {
	bounds, orZero := strings.CutSuffix(span, ", or 0")
	first, last, _ := strings.Cut(bounds, " to ")
	low, _ := parse(first)
	high, _ := parse(last)
	return single(noun+", "+span, func(s string) *Problem {
		n, ok := parse(s)
		switch {
		case !ok:
			return wrong(quote(s)+" is not a "+noun, hint)
		case (n < low || n > high) && (n != 0 || !orZero):
			return wrong(quote(s)+" is out of range", "use "+span)
		}
		*p = n
		return nil
	}, func() string { return spell(*p) })
}

func parseCount(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func spellCount(n int) string { return strconv.Itoa(n) }

func parseDuration(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(s)
	return d, err == nil
}

// spell formats a duration without zero units at its end: 1h, not 1h0m0s.
func spell(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// parseSize parses "8MiB" or plain bytes. It rejects numbers of more than 32 bits, so that nothing overflows.
func parseSize(s string) (bytes int64, ok bool) {
	shift := 0
	for unit, bits := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if rest, found := strings.CutSuffix(s, unit); found {
			s, shift = strings.TrimSpace(rest), bits
			break
		}
	}
	n, err := strconv.ParseUint(s, 10, 32)
	return int64(n) << shift, err == nil
}

// spellSize formats a size in the largest unit that leaves no fraction.
func spellSize(bytes int64) string {
	n, units := bytes, []string{"", "KiB", "MiB", "GiB"}
	for n >= 1024 && n%1024 == 0 && len(units) > 1 {
		n, units = n/1024, units[1:]
	}
	return strconv.FormatInt(n, 10) + units[0]
}

// spellList formats texts as a list in YAML.
func spellList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = spellText(s, false)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// spellText formats a text as YAML, in quotes if required. A list has brackets already.
func spellText(s string, isList bool) string {
	const special = "*&!%@`\"'[]{}#|>-?:, "
	plain := s != "" && !strings.ContainsAny(s[:1], special) && !strings.HasSuffix(s, ":") &&
		!strings.Contains(s, ": ") && !strings.Contains(s, " #")
	if isList || plain {
		return s
	}
	return strconv.Quote(s)
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
