package intake

import (
	"context"
	"fmt"

	"github.com/feedwire/feedwire/store/feed"
)

// Promote makes an article of an entry, because an editor wants one, and returns its UUID. It publishes nothing. From then on the article
// follows the entry. It is a no-op if the entry has an article. feed.ErrNotFound: there is no such entry; feed.ErrConflict: no outgoing feed
// has articles of its source, which is not local, so that the article would not follow the entry.
func (in *Intake) Promote(ctx context.Context, id string) (uuid string, err error) {
	e, err := in.store.Entry(ctx, id)
	if err != nil {
		return "", err
	}
	source, err := in.store.SourceByURL(ctx, e.FeedURL)
	if err != nil {
		return "", err
	}
	if !take(*in.destinations.Load(), &source) {
		return "", fmt.Errorf("%s did not become an article: no outgoing feed has articles of %s (%w); add a feed to the source first",
			id, e.FeedURL, feed.ErrConflict)
	}
	article, err := in.saveArticle(ctx, &e, &source, "")
	if err == nil && article == nil {
		err = fmt.Errorf("%s %w: it was taken down", id, feed.ErrNotFound)
	}
	if err != nil {
		return "", err
	}
	return article.UUID, nil
}
