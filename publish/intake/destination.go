package intake

import (
	"cmp"

	"github.com/feedwire/feedwire/store/feed"
)

// destination is an outgoing feed with its compiled selection.
type destination struct {
	feed.Outgoing
	sieve *feed.CompiledFilters // nil: the selection cannot be compiled, and nothing is published by rule
}

func (in *Intake) compile(feeds []feed.Outgoing) []destination {
	all := make([]destination, len(feeds))
	for i, f := range feeds {
		sieve, err := f.Select.Compile()
		if err != nil {
			in.opts.Logger.Error("selection cannot be compiled; nothing is published by rule", "feed", f.Type, "err", err)
		}
		all[i] = destination{f, sieve}
	}
	return all
}

// selects reports whether the feed takes the source and its selection keeps the entry.
func (d *destination) selects(source *feed.Source, e *feed.Entry) bool {
	if d.sieve == nil || !d.Accepts(source) {
		return false
	}
	kept, _ := d.sieve.Match(e)
	return kept
}

// mode returns who publishes articles of the source in this feed. The setting of the feed has precedence.
func (d *destination) mode(source *feed.Source) feed.PublishMode {
	return cmp.Or(d.Publish, source.Publish)
}
