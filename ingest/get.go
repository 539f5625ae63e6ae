package ingest

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Fetch gets one document as a poll would: guarded and bounded, without validators, and without the store. Errors are of
// type *feed.Failure; feed.ErrInvalid: the URL cannot be one of a feed.
func (in *Ingester) Fetch(ctx context.Context, rawURL string) (Raw, error) {
	u, err := feed.CanonicalURL(rawURL)
	if err != nil {
		return Raw{}, err
	}
	got, err := in.get(ctx, u)
	if err != nil {
		return Raw{}, err
	}
	return got.raw(in.opts.Now()), nil
}

// raw is the document of an answer.
func (a *answer) raw(received time.Time) Raw {
	return Raw{
		Body:            a.body,
		ContentType:     a.header.Get("Content-Type"),
		ContentLocation: a.header.Get("Content-Location"),
		ContentLanguage: a.header.Get("Content-Language"),
		URL:             a.url,
		Received:        received,
	}
}
