package articles

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what articles need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot
// answer now, and feed.ErrNotFound if an article does not exist. Types lists the outgoing feeds whose placements are returned.
type Store interface {
	// Article returns an article with its content.
	Article(ctx context.Context, uuid string, types []string) (feed.Article, error)
	// FindArticles returns articles that match, without content. It reads up to q.Look articles and returns up to q.Limit.
	FindArticles(ctx context.Context, q feed.ArticleQuery, types []string, match func(*feed.Article) bool) (feed.ArticlePage, error)
	// Articles returns articles without content, in the order of the uuids. Missing articles are left out.
	Articles(ctx context.Context, uuids, types []string) ([]feed.Article, error)
	// ArticleView returns everything known about an article, with up to visits visits of each feed in types.
	ArticleView(ctx context.Context, uuid string, types []string, visits int) (feed.ArticleView, error)
	// Decide carries out decisions, each on its own. A repeated id returns the result of the first call.
	Decide(ctx context.Context, id string, decisions []feed.Decision) ([]feed.DecisionResult, error)
	// Stories returns what a list shows beside articles, with up to size bytes of each content.
	Stories(ctx context.Context, articles []feed.Article, size int) (feed.Stories, error)
	// Dismiss takes articles out of the inbox, or with restore puts them back, each on its own. A repeated id returns the result of the
	// first call.
	Dismiss(ctx context.Context, id string, uuids []string, restore bool) ([]feed.DecisionResult, error)
	// Neighbours returns the articles before and after an article in the inbox, or in the list of all articles; empty: none.
	Neighbours(ctx context.Context, a *feed.Article, inbox bool) (before, after string, err error)
	// HeadlinesByID returns entries without content. Those that do not exist are left out.
	HeadlinesByID(ctx context.Context, ids []string) (map[string]feed.Entry, error)
	// Scores returns the scores of those of some entries that have votes or groups, by id, with the votes of a user; 0: no user.
	Scores(ctx context.Context, user int64, ids []string) (map[string]feed.Score, error)
	// VotingOpen reports whether users vote on an entry now.
	VotingOpen(e *feed.Entry) bool
	// Undo reverts what Decide or Dismiss changed with this id, each article on its own. feed.ErrNotFound: it is too late.
	Undo(ctx context.Context, id string) ([]feed.DecisionResult, error)
}
