package intake

import (
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// destination is an outgoing feed with its compiled selection.
type destination struct {
	feed.Outgoing
	sieve *feed.CompiledFilters // nil: the selection cannot be compiled, and nothing is published by rule
}

// selects reports whether the feed takes the source and its selection keeps the entry.
func (d *destination) selects(source *feed.Source, e *feed.Entry) bool {
	if d.sieve == nil || !d.Accepts(source) {
		return false
	}
	kept, _ := d.sieve.Match(e)
	return kept
}

// take reports whether one of the feeds may have articles of the source.
func take(feeds []destination, source *feed.Source) bool {
	return slices.ContainsFunc(feeds, func(d destination) bool { return d.Follows(source) })
}
