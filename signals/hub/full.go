package hub

import (
	"context"
	"errors"

	"github.com/feedwire/feedwire/store/feed"
)

// Documents has the documents of sources as they came.
type Documents interface {
	// SourceDocument is the last document of a source that brought news, byte for byte, with its own content type.
	// feed.ErrNotFound: none was kept.
	SourceDocument(ctx context.Context, feedURL string) (feed.Distribution, error)
}

// DocumentOutlet distributes the document of a source as it came, under the source's own feed URL.
func DocumentOutlet(documents Documents) Outlet {
	return Outlet{
		Topics: func(feedURL string) []string { return []string{feedURL} },
		Make: func(ctx context.Context, topic string, news News) ([]feed.Distribution, error) {
			d, err := documents.SourceDocument(ctx, news.FeedURL)
			if errors.Is(err, feed.ErrNotFound) {
				return nil, nil // it came before somebody subscribed
			}
			d.Topic, d.Whole = topic, true
			return []feed.Distribution{d}, err
		},
	}
}
