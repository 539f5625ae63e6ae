package body

import "github.com/feedwire/feedwire/publish/instant"

// Clean cleans content by p once.
func Clean(content, base string, p Policy) (cleaned string, warnings []instant.Warning) {
	return New(p).Clean(content, base)
}
