package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// ArticleView returns an article with its versions, its audit entries, up to visits visits of each of the given feeds, and its
// source, in two exchanges. feed.ErrNotFound: there is no such article.
func (s *Store) ArticleView(ctx context.Context, uuid string, types []string, visits int) (feed.ArticleView, error) {
	fail := func(err error) (feed.ArticleView, error) {
		return feed.ArticleView{}, fmt.Errorf("read article %s: %w", uuid, err)
	}
	replies, err := s.db.Pipeline(ctx, "articles", func(b *core.Batch) {
		s.Articles.AskArticle(b, uuid, types, true)
		s.Articles.AskArticleVersions(b, uuid)
		s.People.AskArticleAudit(b, uuid)
		for _, typ := range types {
			s.Articles.AskVisits(b, typ, visits)
		}
	})
	if err != nil {
		return fail(err)
	}
	view, r, found := feed.ArticleView{Visits: make(map[string][]feed.Visit, len(types))}, core.Replies(replies), false
	if view.Article, found = s.Articles.ReadArticle(&r, types, true); !found {
		return fail(feed.ErrNotFound)
	}
	if view.Versions, err = s.Articles.ReadArticleVersions(&r); err != nil {
		return fail(err)
	}
	view.AuditEntries = s.People.ReadArticleAudit(&r)
	for _, typ := range types {
		if view.Visits[typ], err = s.Articles.ReadVisits(&r); err != nil {
			return fail(err)
		}
	}
	view.Source, err = s.Sources.SourceByURL(ctx, view.Article.FeedURL)
	if err != nil && !errors.Is(err, feed.ErrNotFound) { // not found: it was removed
		return fail(err)
	}
	return view, nil
}
