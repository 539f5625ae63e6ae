package articles_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/desk/articles"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// An index finds the article of a text among many at once, and the other filters apply to what it finds.
func TestListIsSearchedByTheIndex(t *testing.T) {
	var found feed.SearchPage
	var asked []string
	d, n := newDesk(t, func(opts *articles.Options) {
		opts.Search = func(_ context.Context, s *feed.Search, _ func(*feed.Entry) bool, after feed.Cursor, limit int) (feed.SearchPage, error) {
			asked = append(asked, fmt.Sprint(s.Terms[0].Text, " ", after.Member, " ", limit))
			page := found
			from, _ := strconv.Atoi(after.Member)
			page.Hits = found.Hits[from:min(from+limit, len(found.Hits))]
			if from+limit < len(found.Hits) {
				page.Next = feed.Cursor{Score: 1, Member: strconv.Itoa(from + limit)}
			}
			return page, nil
		}
	})
	all, err := n.FindArticles(t.Context(), feed.ArticleQuery{Limit: 100, Look: 100}, []string{"production"}, func(*feed.Article) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all.Articles {
		found.Hits = append(found.Hits, feed.SearchHit{Entry: feed.Entry{FeedURL: a.FeedURL, GUID: a.GUID}}, feed.SearchHit{Entry: feed.Entry{GUID: "no article"}})
	}
	b := d.As(t, "ann", feed.RoleEditor)
	if got := strings.Count(b.Get("/articles?q=pilots", 200), "data-row="); got != len(all.Articles) {
		t.Errorf("the page has %d articles, want %d", got, len(all.Articles))
	}
	webtest.Contains(t, b.Get("/articles?q=pilots&state=withdrawn&feed=production", 200), "Fish market")
	page := webtest.Get[feed.Page[feed.Article]](t, d, "/api/v1/articles?q=pilots&limit=2&days=365")
	rest := webtest.Get[feed.Page[feed.Article]](t, d, "/api/v1/articles?q=pilots&limit=100&days=365&cursor="+page.Next)
	if len(page.Items) != 2 || len(rest.Items) != len(all.Articles)-2 || rest.Next != "" || page.Items[1].UUID != all.Articles[1].UUID {
		t.Errorf("the pages have %d and %d articles", len(page.Items), len(rest.Items))
	}
	if asked[0] != "pilots  40" {
		t.Errorf("searched for %q", asked)
	}
	b.Get("/articles?q=after:today", 422)
	found.Incomplete = true
	if got := strings.Count(b.Get("/articles?q=TIDE", 200), "data-row="); got != 1 {
		t.Errorf("while the index lacks entries the page has %d articles, want 1", got)
	}
}
