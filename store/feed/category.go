package feed

import (
	"slices"
	"strings"
	"unicode"
)

// Bounds of the categories of a source.
const (
	maxCategories    = 16
	maxCategory      = 200 // bytes
	maxCategoryDepth = 8   // nested folders
)

// CleanCategories returns the canonical form of the categories of a source; "News/Technology" is a nested folder. Commas, which
// separate categories, and control characters become spaces. Empty and repeated categories, and those beyond the bounds, are
// dropped.
func CleanCategories(categories []string) []string {
	var clean []string
	for _, c := range categories {
		if c = cleanCategory(c); c != "" && !slices.Contains(clean, c) && len(clean) < maxCategories {
			clean = append(clean, c)
		}
	}
	return clean
}

func cleanCategory(c string) string {
	c = strings.Map(func(r rune) rune {
		if r == ',' || r == unicode.ReplacementChar || r > 0xFFFD && r < 0x10000 || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(c, " "))
	var folders []string
	size := 0
	for folder := range strings.SplitSeq(c, "/") {
		folder = strings.Join(strings.Fields(folder), " ")
		if size += len(folder) + 1; size > maxCategory || len(folders) == maxCategoryDepth {
			break
		}
		if folder != "" {
			folders = append(folders, folder)
		}
	}
	return strings.Join(folders, "/")
}
