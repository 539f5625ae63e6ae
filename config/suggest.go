package config

import (
	"slices"
	"strings"
)

// didYouMean returns a hint with the nearest of the known names: by edit distance, up to a third of its letters, or else one with the
// same last component. If no name is near, it returns another hint.
func didYouMean(name string, known []string, otherwise string) string {
	if len(name) > maxQuoted {
		return otherwise
	}
	best, least := -1, len(name)/3+1
	for i, k := range known {
		if d := distance(name, k); d < least {
			best, least = i, d
		}
	}
	if best < 0 {
		last := "." + name[strings.LastIndexByte(name, '.')+1:]
		best = slices.IndexFunc(known, func(k string) bool { return strings.HasSuffix(k, last) })
	}
	if best < 0 {
		return otherwise
	}
	return "did you mean " + known[best] + "?"
}

// distance returns the Levenshtein distance of a and b in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
