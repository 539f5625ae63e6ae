package articles

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	defaultDays = 7 // of articles in a list
	maxDays     = 365
)

// list serves GET /api/v1/articles: the articles of the last days that the filter selects, newest change first. With feed it returns
// only the placement in that feed; with state, the latest to reach the state come first, and the inbox is ordered by publication.
func (as *Articles) list(r *http.Request) (page feed.Page[feed.Article], err error) {
	query := web.QueryOf(r)
	f := as.filterOf(query)
	if f.state != "" && f.typ == "" && !f.ofArticle() {
		query.Refuse("feed", "required with state: an article has one state in each feed")
	}
	limit, days, from := query.Limit(), query.Number("days", defaultDays, 1, maxDays), query.Position()
	if query.Err != nil {
		return page, query.Err
	}
	plan := f.plan(from, limit)
	plan.Since = as.web.Now().Add(-time.Duration(days) * 24 * time.Hour)
	types := as.feedsOf(f).Types()
	found, err := as.find(r.Context(), f, plan, types)
	for i := range found.Articles {
		if err == nil {
			err = as.setBlocked(r.Context(), &found.Articles[i])
		}
	}
	return web.List(found.Articles, found.Next.String()), err
}

// get serves GET /api/v1/articles/{uuid}.
func (as *Articles) get(w http.ResponseWriter, r *http.Request) error {
	article, err := as.article(r)
	if err != nil {
		return err
	}
	web.SetState(w, decided(&article))
	if err := as.setBlocked(r.Context(), &article); err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, article)
	return nil
}

// article returns the article of the path.
func (as *Articles) article(r *http.Request) (feed.Article, error) {
	uuid, err := uuidOf(r)
	if err != nil {
		return feed.Article{}, err
	}
	return as.store.Article(r.Context(), uuid, as.opts.Feeds.Types())
}

// view returns the article of the path with its history and up to visits visits of each feed in types.
func (as *Articles) view(r *http.Request, types []string, visits int) (feed.ArticleView, error) {
	uuid, err := uuidOf(r)
	if err != nil {
		return feed.ArticleView{}, err
	}
	return as.store.ArticleView(r.Context(), uuid, types, visits)
}

// setBlocked sets Blocked of each placement: the reason why the validator blocks the article from that feed, or would.
func (as *Articles) setBlocked(ctx context.Context, a *feed.Article) error {
	for typ, p := range a.Feeds {
		why, err := as.blocked(ctx, a, typ)
		if err != nil {
			return err
		}
		p.Blocked = why
		a.Feeds[typ] = p
	}
	return nil
}

// blocked returns why a feed leaves an article out, or would. It reads the content if the article has none. An article that was
// removed in the meantime is not blocked.
func (as *Articles) blocked(ctx context.Context, a *feed.Article, typ string) (string, error) {
	why, err := as.opts.Verdict(a, typ, func() (feed.Article, error) {
		if a.Content != "" {
			return *a, nil
		}
		return as.store.Article(ctx, a.UUID, []string{typ})
	})
	if errors.Is(err, feed.ErrNotFound) {
		return "", nil
	}
	return why, err
}

// decided identifies what people decide about an article: its state and revision in each feed.
func decided(a *feed.Article) string {
	text := a.UUID
	for _, typ := range slices.Sorted(maps.Keys(a.Feeds)) {
		text += fmt.Sprintf(" %s %s %d", typ, a.Feeds[typ].State, a.Feeds[typ].Revision)
	}
	return web.Hash(text)
}

// uuidOf returns the article of the path.
func uuidOf(r *http.Request) (string, error) { return parseUUID(r.PathValue("uuid")) }

func parseUUID(name string) (string, error) {
	uuid := strings.ToLower(name)
	if len(uuid) != 36 || strings.Trim(uuid, "0123456789abcdef-") != "" {
		return "", fmt.Errorf("article %.64q %w: use its UUID", uuid, feed.ErrNotFound)
	}
	return uuid, nil
}
