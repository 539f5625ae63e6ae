package config

import "strings"

// didYouMean returns a hint with the likely name, or otherwise.
func didYouMean(name string, known []string, otherwise string) string {
	if likely := suggest(name, known); likely != "" {
		return "did you mean " + likely + "?"
	}
	return otherwise
}

// suggest returns the nearest of the known names: by edit distance, up to a third of its letters, or else one with the same
// last component. It returns "" if no name is near.
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
