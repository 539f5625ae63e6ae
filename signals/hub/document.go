package hub

import (
	"context"
	"errors"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
)

// Documents reads the documents of sources.
type Documents interface {
	// SourceDocument returns the last document of a source that contained news, unchanged and with its content type.
	// feed.ErrNotFound: none is stored.
	SourceDocument(ctx context.Context, feedURL string) (feed.Distribution, error)
}

// DocumentOutlet distributes the documents of a source unchanged, under the feed URL of the source.
func DocumentOutlet(documents Documents) delivery.Outlet {
	return delivery.Outlet{
		Topics: func(feedURL string) []string { return []string{feedURL} },
		Make: func(ctx context.Context, topic string, news delivery.News) ([]feed.Distribution, error) {
			d, err := documents.SourceDocument(ctx, news.FeedURL)
			if errors.Is(err, feed.ErrNotFound) {
				return nil, nil // the document is older than the first subscription
			}
			d.Topic, d.Whole = topic, true
			return []feed.Distribution{d}, err
		},
	}
}
