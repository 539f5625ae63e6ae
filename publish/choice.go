package publish

import (
	"context"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// maxPages bounds how many articles are looked at for one document: so many times MaxItems.
const maxPages = 20

// channelBytes are set aside for what a document says of its feed, where its size is bounded.
const channelBytes = 4 << 10

// choice is what a document is made of.
type choice struct {
	shown []item             // at most MaxItems, oldest publication first
	bytes int                // of their encodings
	full  bool               // no more fit in
	items map[itemKey][]byte // renderings of all articles looked at; nil for one that cannot be rendered
	until time.Time          // when the oldest of them ages out
}

// item is an article in a document.
type item struct {
	encoded    []byte
	impression feed.Impression
	modified   time.Time
}

// itemKey names all that the rendering of an article depends on.
type itemKey struct {
	uuid                string
	revision            int
	digest              string
	published, modified int64
}

// choose takes the articles that have been published longest, so that each gets its impressions; or where none retires the
// newest. One that cannot be rendered takes no place in the feed: enough of them would keep all others out until they age
// out.
func (o *outlet) choose(ctx context.Context, now time.Time) (*choice, error) {
	c := &choice{items: make(map[itemKey][]byte), until: now.Add(o.Window)}
	seen := make(map[string]bool) // an article published again between two pages is on both
	offset := 0
	for range maxPages {
		articles, next, err := o.store.PublishedArticles(ctx, o.Type, now.Add(-o.Window), o.RetireAfter, offset, o.MaxItems)
		if err != nil {
			return nil, err
		}
		for i := range articles {
			a := &articles[i]
			if !c.full && !seen[a.UUID] {
				seen[a.UUID] = true
				o.consider(c, a)
			}
		}
		if next == 0 || c.full {
			break
		}
		offset = next
	}
	if o.RetireAfter == 0 {
		slices.Reverse(c.shown)
	}
	return c, nil
}

// consider adds a to the choice if it can be rendered. Only what changed is rendered, and what cannot be is counted once,
// also where this look fails later on: o.items is added to at once, and what nobody looks at any more leaves it with the
// next document.
func (o *outlet) consider(c *choice, a *feed.Article) {
	placement := a.Feeds[o.Type]
	key := o.key(a)
	encoded, ok := o.items[key]
	if !ok {
		encoded = o.renderItem(a)
		o.items[key] = encoded
		o.metrics.renderings.Inc()
	}
	c.items[key] = encoded
	if ages := placement.Published.Add(o.Window); ages.Before(c.until) {
		c.until = ages
	}
	if most := o.profile.MaxBytes; most > 0 && c.bytes+len(encoded) > most-channelBytes {
		c.full = true
		return
	}
	if encoded != nil {
		shown := feed.Impression{UUID: a.UUID, Revision: placement.Revision}
		c.shown = append(c.shown, item{encoded, shown, modified(a)})
		c.bytes += len(encoded)
		c.full = len(c.shown) == o.MaxItems
	}
}

func (o *outlet) key(a *feed.Article) itemKey {
	return itemKey{a.UUID, a.Feeds[o.Type].Revision, a.Digest, a.Published.Unix(), a.Modified.Unix()}
}
