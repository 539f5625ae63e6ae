package publish

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxPages     = 20      // of MaxItems articles that are read for one document
	channelBytes = 4 << 10 // reserved for the channel in documents of limited size
)

// selection is what a document is made of.
type selection struct {
	shown []item               // at most MaxItems, oldest publication first
	bytes int                  // of their encodings
	full  bool                 // no more fit
	items map[itemKey]encoding // of all articles read
	until time.Time            // when the oldest of them ages out
}

// encoding is an encoded article.
type encoding struct {
	bytes  []byte // nil: it cannot be rendered
	reason string // why not
}

type item struct {
	encoded    []byte
	impression feed.Impression
	modified   time.Time
}

// itemKey identifies everything that the encoding of an article depends on.
type itemKey struct {
	uuid                string
	revision            int
	digest              string
	published, modified int64
	reread              int64
}

func (o *outlet) key(a *feed.Article) itemKey {
	return itemKey{a.UUID, a.Feeds[o.Type].Revision, a.Digest, a.Published.Unix(), a.Modified.Unix(), a.Reread.UnixMilli()}
}

// selectArticles selects the articles that have been published longest, so that each gets its impressions, or the newest
// ones if none retires. An article that cannot be rendered occupies no place: enough of them would keep all others out until
// they age out.
func (o *outlet) selectArticles(ctx context.Context, now time.Time) (*selection, error) {
	s := &selection{items: make(map[itemKey]encoding), until: now.Add(o.Window)}
	seen := make(map[string]bool) // an article published again between two pages is on both
	offset := 0
	for range maxPages {
		articles, next, err := o.store.PublishedArticles(ctx, o.Type, now.Add(-o.Window), o.RetireAfter, offset, o.MaxItems)
		if err != nil {
			return nil, err
		}
		for i := range articles {
			a := &articles[i]
			if !s.full && !seen[a.UUID] {
				seen[a.UUID] = true
				o.add(s, a, now)
			}
		}
		if next == 0 || s.full {
			break
		}
		offset = next
	}
	if o.RetireAfter == 0 {
		slices.Reverse(s.shown)
	}
	return s, nil
}

// add adds an article to the selection if it can be rendered. It renders only what changed, and records the encoding in
// o.items at once: a failure is counted once even if this refresh fails later. The next document drops unused encodings.
func (o *outlet) add(s *selection, a *feed.Article, now time.Time) {
	key := o.key(a)
	article, ok := o.items[key]
	if !ok {
		article = o.renderItem(a)
		o.items[key] = article
		o.metrics.renderings.Inc()
	}
	s.items[key] = article
	encoded := article.bytes
	leaves := o.leaves(a)
	if leaves.Before(now) {
		return
	}
	if leaves.Before(s.until) {
		s.until = leaves
	}
	if limit := o.profile.MaxBytes; limit > 0 && s.bytes+len(encoded) > limit-channelBytes {
		s.full = true
		return
	}
	if encoded != nil {
		shown := feed.Impression{UUID: a.UUID, Revision: a.Feeds[o.Type].Revision}
		s.shown = append(s.shown, item{encoded, shown, modified(a)})
		s.bytes += len(encoded)
		s.full = len(s.shown) == o.MaxItems
	}
}

// leaves returns when an article is too old for the feed.
func (o *outlet) leaves(a *feed.Article) time.Time {
	leaves := a.Feeds[o.Type].Published.Add(o.Window)
	if limit := o.profile.MaximumAge; limit > 0 {
		if old := published(a, o.Type).Add(limit); old.Before(leaves) {
			return old
		}
	}
	return leaves
}

// share replaces the encodings of shown items by parts of the document made of them, so that they are in memory once. The
// others are copied, so that none of them retains an earlier document.
func (s *selection) share(document []byte) {
	var shown [][]byte // in the order of the document
	for _, it := range slices.Backward(s.shown) {
		shown = append(shown, it.encoded)
	}
	located := make(map[*byte][]byte, len(shown)) // by the first byte of the encoding
	for i, part := range feedxml.Locate(document, shown) {
		located[&shown[i][0]] = part
	}
	for key, article := range s.items {
		if len(article.bytes) == 0 {
			continue
		}
		part, ok := located[&article.bytes[0]]
		if !ok {
			part = bytes.Clone(article.bytes)
		}
		s.items[key] = encoding{bytes: part}
	}
}
