package articles

import (
	"context"
	"errors"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// hitsRead is how many entries are read from the index together.
const hitsRead = 50

// find returns a page of the articles that a filter selects. A text is searched in the index, newest entries first, if that has all entries.
func (as *Articles) find(ctx context.Context, f filter, plan feed.ArticleQuery, types []string) (page feed.ArticlePage, err error) {
	if as.opts.Search != nil && f.text != "" {
		page, err = as.findIndexed(ctx, f, plan, types)
		if !errors.Is(err, feed.ErrUnavailable) {
			return page, err
		}
	}
	return as.store.FindArticles(ctx, plan, types, as.matches(ctx, f, types))
}

// findIndexed is find by the index. feed.ErrUnavailable: that cannot answer, or lacks entries.
func (as *Articles) findIndexed(ctx context.Context, f filter, plan feed.ArticleQuery, types []string) (page feed.ArticlePage, err error) {
	wanted, err := feed.ParseSearch(f.text)
	if err != nil {
		return page, err
	}
	f.text = ""
	match, after, since := as.matches(ctx, f, types), plan.From, plan.Since
	if plan.State != "" {
		since = time.Time{} // as of FindArticles
	}
	for page.Looked < plan.Look && len(page.Articles) < plan.Limit {
		limit := min(hitsRead, plan.Limit-len(page.Articles))
		found, err := as.opts.Search(ctx, &wanted, nil, after, limit)
		if err == nil && found.Incomplete {
			err = feed.ErrUnavailable
		}
		if err != nil {
			return page, err
		}
		uuids := make([]string, len(found.Hits))
		for i := range found.Hits {
			uuids[i] = feed.ArticleUUID(found.Hits[i].Entry.FeedURL, found.Hits[i].Entry.GUID)
		}
		read, err := as.store.Articles(ctx, uuids, types)
		if err != nil {
			return page, err
		}
		for i := range read {
			if !read[i].Updated.Before(since) && match(&read[i]) {
				page.Articles = append(page.Articles, read[i])
			}
		}
		page.Looked += max(1, len(found.Hits)) // a page without hits may have a next one
		if after = found.Next; after.IsZero() {
			return page, nil
		}
	}
	page.Next = after
	return page, nil
}
