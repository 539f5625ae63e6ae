package timeline

import (
	"slices"

	"github.com/feedwire/feedwire/store/core"
)

// visibility is which of some sources are in the timeline of a user: those that the user follows and has not muted. The zero value is
// ready for use.
type visibility struct {
	urls []string
	of   map[string]bool // by URL, of those that were read
}

// add adds a source that query asks for.
func (v *visibility) add(feedURL string) {
	if !slices.Contains(v.urls, feedURL) {
		v.urls = append(v.urls, feedURL)
	}
}

// query adds the command that reads the follows of the sources, if there are any.
func (v *visibility) query(b *core.Batch, k userKeys) {
	if len(v.urls) == 0 {
		return
	}
	args := make([]any, 0, 1+len(v.urls))
	args = append(args, k.follows())
	for _, url := range v.urls {
		args = append(args, url)
	}
	b.Add("HMGET", args...)
}

// read takes the reply to the command of query. If the batch returned an error, nothing was read.
func (v *visibility) read(r *core.Replies) {
	if len(v.urls) == 0 {
		return
	}
	v.of = make(map[string]bool, len(v.urls))
	for i, text := range r.Texts() {
		v.of[v.urls[i]] = text != "" && !muted(text)
	}
}
