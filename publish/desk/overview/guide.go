package overview

import "github.com/feedwire/feedwire/store/feed"

// step is one of the first steps of a new installation.
type step struct {
	Text, Hint string
	Link, Verb string // of the page where it is done
	Done       bool
}

// youngSources is how many sources an installation may have that is shown the first steps.
const youngSources = 2

// firstSteps returns the steps of a new installation; nil: it is done with them, or needs none.
func (o *Overview) firstSteps(view *state) []step {
	sources := 0
	for _, n := range view.Sources {
		sources += n
	}
	if sources > youngSources || len(o.opts.Feeds) == 0 {
		return nil
	}
	first := o.opts.Feeds[0].Type
	articles, published, fetched := false, false, false
	for i := range view.Feeds {
		f := &view.Feeds[i]
		for state, n := range f.Articles {
			articles = articles || n > 0
			published = published || n > 0 && state != feed.StateUnpublished
		}
		if !feed.LastCounted(f.Visits).IsZero() {
			fetched, first = true, o.opts.Feeds[i].Type
		}
	}
	if fetched {
		return nil
	}
	return []step{
		{"Add a source", "Any address of a site will do: feedwire finds its feed and shows the entries first.", "/sources/add", "Add a source", sources > 0},
		{"Choose a feed", "Entries of a source become articles of the outgoing feeds that you select for it.", "/sources", "Show sources", articles},
		{"Publish an article", "Articles wait for an editor unless their source publishes automatically.", "/articles", "Show articles", published},
		{"Watch the fetch", "Give its consumer the address of the feed. The page of the feed shows each visit.", "/feeds/" + first, "Show " + first, false},
	}
}
