package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Problem is one mistake in the configuration.
type Problem struct {
	place         // the zero place: a default
	Key    string // "fetch.timeout", "sources[2].url"; may be empty
	Reason string // the mistake
	Hint   string // the remedy; may be empty
}

// String returns the problem in one line: place, key, reason and hint.
func (p Problem) String() string {
	var b strings.Builder
	if p.place != (place{}) {
		b.WriteString(p.File)
		for _, n := range []int{p.Line, p.Column} {
			if n > 0 {
				b.WriteString(":" + strconv.Itoa(n))
			}
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Reason)
	if p.Hint != "" {
		b.WriteString("; " + p.Hint)
	}
	return b.String()
}

// Problems returns the problems in an error of Load, those of the file first, in its order. Other errors contain none.
func Problems(err error) []Problem {
	all, _ := errors.AsType[loadError](err)
	return all
}

// loadError is the error of Load: one problem in each line.
type loadError []Problem

func (all loadError) Error() string {
	lines := make([]string, len(all))
	for i, p := range all {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// sort brings problems in the order of the file.
func (all loadError) sort() {
	slices.SortStableFunc(all, func(a, b Problem) int {
		// Line 0, elsewhere, wraps around to the end.
		return cmp.Or(cmp.Compare(uint(a.Line-1), uint(b.Line-1)), cmp.Compare(a.Column, b.Column))
	})
}

// profilePlace starts the place of a value that a feed inherits from its profile.
const profilePlace = "profile "

// place is the origin of a value: a file, an environment variable, a flag or a profile. The zero place is the default.
type place struct {
	File   string // path of the file, "FEEDWIRE_LISTEN", "--listen" or "profile msn"
	Line   int    // in the file, from 1; 0: not in a file
	Column int    // in characters, from 1; 0: the whole line or file
}

// String formats the place for config show: "default", "feedwire.yaml:12", "env FEEDWIRE_LISTEN", "flag --listen".
func (p place) String() string {
	switch {
	case p.File == "":
		return "default"
	case p.Line > 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	case strings.HasPrefix(p.File, "--"):
		return "flag " + p.File
	case strings.HasPrefix(p.File, profilePlace):
		return p.File
	}
	return "env " + p.File
}
