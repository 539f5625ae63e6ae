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

// take reports whether there may be articles of the source: one of the feeds may have them, or editors promote entries of the source.
func take(feeds []destination, source *feed.Source) bool {
	return source.Local() || slices.ContainsFunc(feeds, func(d destination) bool { return d.Follows(source) })
}
