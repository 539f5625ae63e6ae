package config

import (
	"slices"
	"strings"
)

// didYouMean returns a hint with the nearest of the known names: by edit distance, up to a third of the letters of name, or else
// one with the same last component. If no name is near, it returns otherwise.
func didYouMean(name string, known []string, otherwise string) string {
	if len(name) > maxQuoted {
		return otherwise
	}
	best, least := "", len(name)/3+1
	for _, k := range known {
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		last := name[strings.LastIndexByte(name, '.')+1:]
		if i := slices.IndexFunc(known, func(k string) bool { return strings.HasSuffix(k, "."+last) }); i >= 0 {
			best = known[i]
		}
	}
	if best == "" {
		return otherwise
	}
	return "did you mean " + best + "?"
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
