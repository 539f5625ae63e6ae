package hub

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
)

// Sources reads sources.
type Sources interface {
	// SourceByURL returns the source with a feed URL. feed.ErrNotFound: it was removed.
	SourceByURL(ctx context.Context, feedURL string) (feed.Source, error)
}

// NewsOutlet distributes the new and changed entries of a source under its own feed URL, in a feed of the same family:
// RSS for RSS, Atom for all others.
func NewsOutlet(sources Sources, hubURL string) delivery.Outlet {
	return delivery.Outlet{
		Topics: func(feedURL string) []string { return []string{feedURL} },
		Make: func(ctx context.Context, topic string, news delivery.News) ([]feed.Distribution, error) {
			entries, about := content(news.Signals)
			if len(entries) == 0 && !about {
				return nil, nil
			}
			source, err := sources.SourceByURL(ctx, news.FeedURL)
			if err != nil {
				return nil, fmt.Errorf("read source: %w", err)
			}
			d, err := distribution(&source, entries, hubURL, news.Signals[len(news.Signals)-1].Time)
			d.Topic = topic
			return []feed.Distribution{d}, err
		},
	}
}

// EntriesDocument returns a feed of some entries of a source, as NewsOutlet distributes them.
func EntriesDocument(source *feed.Source, entries []feed.Entry, hubURL string) (feed.Distribution, error) {
	changed := source.Poll.LastDocument
	all := make([]*feed.Entry, len(entries))
	for i := range entries {
		changed = cmp.Or(changed, entries[i].Timestamp) // a source that is only pushed to has no LastDocument
		all[i] = &entries[i]
	}
	return distribution(source, all, hubURL, changed)
}

// content returns the entries of signals, each once, in its current state and in the order of the last signals, and whether
// the feed itself has changed. A signal without a post is of a source that changed so many entries at once that subscribers
// would mistake them for edits.
func content(signals []feed.Signal) (entries []*feed.Entry, about bool) {
	last := make(map[string]int)
	for i := range signals {
		last[signals[i].Entry] = i
	}
	for i := range signals {
		s := &signals[i]
		about = about || s.Kind == feed.FeedModified && len(s.Changed) > 0
		if s.Post != nil && last[s.Entry] == i {
			entries = append(entries, s.Post)
		}
	}
	return entries, about
}

// distribution writes entries of a source as it sent them, with the ids it gave them: a reader that also polls the source
// recognises them.
func distribution(source *feed.Source, entries []*feed.Entry, hubURL string, changed time.Time) (feed.Distribution, error) {
	format := feedxml.Atom
	if strings.HasPrefix(source.Poll.Format, "RSS") {
		format = feedxml.RSS
	}
	w := feedxml.New(format, feedxml.SourceDialect())
	encoded := make([][]byte, len(entries))
	for i, e := range entries {
		var err error
		if encoded[i], err = w.Entry(feedxml.FromEntry(e, source.URL)); err != nil {
			return feed.Distribution{}, fmt.Errorf("encode %s of %s: %w", e.ID, source.URL, err)
		}
	}
	about := &source.About
	body, err := w.Document(&feedxml.Channel{
		Title: cmp.Or(about.Title, source.URL), Link: cmp.Or(about.Link, source.URL), Description: about.Description,
		Language: about.Language, Self: source.URL, Hub: hubURL, Changed: feedxml.Date(changed),
	}, encoded)
	if err != nil {
		return feed.Distribution{}, fmt.Errorf("encode news of %s: %w", source.URL, err)
	}
	return feed.Distribution{Topic: source.URL, ContentType: w.MediaType + "; charset=utf-8", Body: body, Entries: len(entries)}, nil
}
