package rules

import "strings"

// Vocabulary returns the names of all classes and their properties.
func Vocabulary() []string {
	var words []string
	for _, c := range classes {
		words = append(append(words, c.Name), strings.Fields(c.Properties)...)
	}
	return words
}
