package article

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// setOf returns the set that a query selects from, and since when.
func (s *Store) setOf(q *feed.ArticleQuery) (key string, since time.Time) {
	switch {
	case q.Inbox:
		return s.keys.inbox(), time.Time{}
	case q.State == feed.StateDismissed:
		return s.keys.dismissed(), time.Time{}
	case q.State != "":
		return s.keys.placed(q.State, q.Type), time.Time{}
	}
	return s.keys.articles(), q.Since
}

// FindArticles returns the articles that match, newest first, with their placement in the given feeds and without content. It
// examines up to q.Look articles, takes two exchanges, and ends when it has found q.Limit.
func (s *Store) FindArticles(
	ctx context.Context, q feed.ArticleQuery, types []string, match func(*feed.Article) bool,
) (page feed.ArticlePage, err error) {
	key, since := s.setOf(&q)
	places, more, err := s.db.Page(ctx, group, key, since, q.From, q.Look)
	var r core.Replies
	if err == nil {
		var b core.Batch
		for i := range places {
			s.QueryArticle(&b, places[i].Member, types, false)
		}
		r, err = s.db.Exchange(ctx, group, &b)
	}
	if err != nil {
		return page, core.Wrap(err, "find articles")
	}
	for i := range places {
		page.Looked++
		if a, ok := s.ReadArticle(&r, types, false); ok && match(&a) {
			page.Articles = append(page.Articles, a)
		}
		last := i == len(places)-1
		if last && !more {
			break
		}
		if last || len(page.Articles) == q.Limit {
			page.Next = places[i]
			break
		}
	}
	return page, nil
}
