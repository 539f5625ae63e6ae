package desk

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// ArticleStore is what the pages of articles read and change.
type ArticleStore interface {
	// FindArticles returns articles that match, with their placement in the feeds in types and without content: it looks
	// through q.Look of them and ends where q.Limit are found.
	FindArticles(ctx context.Context, q feed.ArticleQuery, types []string, match func(*feed.Article) bool) (feed.ArticlePage, error)
	// ArticleView returns one article with all that is known about it, and up to visits visits of each feed in types.
	ArticleView(ctx context.Context, uuid string, types []string, visits int) (feed.ArticleView, error)
	// Decide does what a person wants of articles, each by itself. The same id again answers what it did the first time.
	Decide(ctx context.Context, id string, decisions []feed.Decision) ([]feed.Decided, error)
	// Undo brings back what Decide changed with this id, each article by itself. feed.ErrNotFound: there is nothing any more.
	Undo(ctx context.Context, id string) ([]feed.Decided, error)
}
