package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/feedwire/feedwire/store/feed"
)

// destination is an outgoing feed with its selection, compiled.
type destination struct {
	feed.Outgoing
	sieve *feed.Sieve // nil: the selection cannot be compiled, and nothing goes out by rule
}

func (in *Intake) destinations(feeds []feed.Outgoing) []destination {
	all := make([]destination, len(feeds))
	for i, f := range feeds {
		sieve, err := f.Select.Compile()
		if err != nil {
			in.opts.Logger.Error("selection cannot be compiled, nothing is published by rule", "feed", f.Type, "err", err)
		}
		all[i] = destination{f, sieve}
	}
	return all
}

// wants reports whether the entry becomes an article for this feed.
func (d *destination) wants(source *feed.Source, e *feed.Entry) bool {
	if d.sieve == nil || !d.Takes(source) {
		return false
	}
	kept, _ := d.sieve.Keeps(e)
	return kept
}

// mode says who decides that an article of the source goes out here.
func (d *destination) mode(source *feed.Source) feed.PublishMode {
	return cmp.Or(d.Publish, source.Publish)
}

// wanted reports whether an entry becomes an article: where any feed wants it, or where it is one already. What an editor
// has put into a feed, or what matched before it was edited, is followed for as long as its source is taken.
func (in *Intake) wanted(ctx context.Context, feeds []destination, source *feed.Source, e *feed.Entry) (bool, error) {
	for i := range feeds {
		if feeds[i].wants(source, e) {
			return true, nil
		}
	}
	uuid := feed.ArticleUUID(e.FeedURL, e.GUID)
	_, err := in.store.Article(ctx, uuid, nil)
	switch {
	case errors.Is(err, feed.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for article %s: %w", uuid, err)
	}
	return true, nil
}
