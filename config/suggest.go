package config

import "strings"

// suggest finds the name that was likely meant: the nearest of known by edit distance, at most a third of its letters
// away, or else one with the same last part. Empty: none is likely.
func suggest(name string, known []string) string {
	if len(name) > maxQuoted {
		return ""
	}
	best, least := "", len(name)/3+1
	for _, k := range known {
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return best
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	for _, k := range known {
		if strings.HasSuffix(k, "."+last) {
			return k
		}
	}
	return ""
}

// distance counts the letters to insert, delete or replace to make b of a (Levenshtein), in bytes.
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
