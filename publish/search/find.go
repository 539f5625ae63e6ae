package search

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Orders of the results, the default first.
const (
	orderTime      = "time"
	orderRelevance = "relevance"
)

// Results is a page of what a search found.
type Results struct {
	feed.Page[feed.SearchHit]
	Incomplete bool `json:"incomplete,omitempty"` // the index does not have all entries yet
}

// list serves GET /api/v1/search.
func (s *Search) list(r *http.Request) (all Results, err error) {
	query := web.QueryOf(r)
	limit := query.Limit()
	found, err := s.find(r, query, limit)
	return Results{web.List(found.Hits, found.Next.String()), found.Incomplete}, err
}

// find returns a page of what a query selects among the entries that the visitor may see.
func (s *Search) find(r *http.Request, query *web.Query, limit int) (page feed.SearchPage, err error) {
	after := query.Position()
	wanted, invalid := feed.ParseSearch(query.Get("q"))
	switch query.Get("order") {
	case "", orderTime:
	case orderRelevance:
		wanted.ByRelevance = true
	default:
		query.Refuse("order", "use time or relevance")
	}
	if since := query.Time("since"); since.After(wanted.From) {
		wanted.From = since
	}
	if until := query.Time("until"); !until.IsZero() && (wanted.Until.IsZero() || until.Before(wanted.Until)) {
		wanted.Until = until
	}
	switch category := query.Get("category"); {
	case utf8.RuneCountInString(category) > feed.MaxSearch:
		query.Refuse("category", fmt.Sprintf("it has more than %d characters", feed.MaxSearch))
	case category != "":
		wanted.Terms = append(wanted.Terms, feed.SearchTerm{Field: feed.SearchCategories, Text: category, Phrase: true})
	}
	if err := cmp.Or(invalid, query.Err); err != nil {
		return page, err
	}
	if s.index == nil {
		return page, feed.ErrNoSearch
	}
	v := web.VisitorOf(r)
	follows, err := s.store.Follows(r.Context(), v.Account.ID)
	if err != nil {
		return page, err
	}
	followed := make(map[string]bool, len(follows))
	for i := range follows {
		followed[follows[i].FeedURL] = true
	}
	see := func(e *feed.Entry) bool { return e.ShownTo(v.Account.ID) && v.MaySee(e.FeedURL, followed[e.FeedURL]) }
	if !v.May(feed.ScopeRead) {
		wanted.Feeds, wanted.Posts = make([]string, 0, len(follows)), true
		for url := range followed {
			wanted.Feeds = append(wanted.Feeds, url)
		}
	}
	if name := query.Get("source"); name != "" {
		url, err := s.sourceURL(r, name)
		if err == nil && !v.MaySee(url, followed[url]) {
			err = errNoSource
		}
		if err != nil {
			return page, err
		}
		wanted.Feeds, wanted.Posts = []string{url}, false
	}
	return s.index(r.Context(), &wanted, see, after, limit)
}

// errNoSource is the answer about sources that do not exist, and about those that the visitor must not learn of.
var errNoSource = feed.Invalid("source", "use the id or URL of a source that you may read")

// sourceURL returns the URL of a source that is named by id or URL.
func (s *Search) sourceURL(r *http.Request, name string) (string, error) {
	id, err := feed.ParseSourceID(name)
	if err != nil {
		return "", errNoSource
	}
	source, err := s.store.Source(r.Context(), id)
	if errors.Is(err, feed.ErrNotFound) {
		return "", errNoSource
	}
	if err != nil {
		return "", fmt.Errorf("source of the search: %w", err)
	}
	return source.URL, nil
}
