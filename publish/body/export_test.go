package body

import "github.com/feedwire/feedwire/publish/hypertext"

// Clean cleans content by p once.
func Clean(content, base string, p Policy) (cleaned string, warnings []hypertext.Warning) {
	return New(p).Clean(content, base)
}

// Tags returns the elements that cleaned HTML can contain.
func Tags() []string { return tags }

// Settled reports whether markup needs no further checks, and Check applies them.
func (c *Cleaner) Settled(markup string) bool { return c.settled(markup) }
func (c *Cleaner) Check(markup string) string { return c.check(markup) }
