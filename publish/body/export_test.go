package body

import "github.com/feedwire/feedwire/publish/hypertext"

// Clean cleans content by p once.
func Clean(content, base string, p Policy) (cleaned string, warnings []hypertext.Warning) {
	return New(p).Clean(content, base)
}

// Tags returns the elements that cleaned HTML can contain.
func Tags() []string { return tags }
