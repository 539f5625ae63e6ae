package ingest

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// Peek fetches a feed as a poll would and stores nothing, for a person who wants to see its entries before adding it.
//
// feed.ErrInvalid: the URL cannot be used; else errors are of type *feed.Failure.
func (in *Ingester) Peek(ctx context.Context, rawURL string) (feed.Document, error) {
	url, err := feed.CanonicalURL(rawURL)
	if err != nil {
		return feed.Document{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	got, err := in.get(ctx, url)
	if err != nil {
		return feed.Document{}, explained(err)
	}
	doc, err := Parse(Raw{
		Body: got.body, ContentType: got.header.Get("Content-Type"), URL: got.url, Received: in.opts.Now(),
	}, url, Limits{Entries: in.terms().MaxEntries})
	if err != nil {
		return feed.Document{}, explained(err)
	}
	return doc, nil
}
