// Package search serves what people and programs search for in the entries that they may see.
package search

import (
	"context"
	"embed"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what searches need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot answer now.
type Store interface {
	// Follows returns the follows of a user by feed URL; none for the user 0.
	Follows(ctx context.Context, user int64) ([]feed.Follow, error)
	// Source returns a source by its id. feed.ErrNotFound: there is none.
	Source(ctx context.Context, id string) (feed.Source, error)
	// TitlesByURL returns the titles and links of sources with canonical URLs, by URL. It leaves out sources that do not exist.
	TitlesByURL(ctx context.Context, urls []string) (map[string]feed.About, error)
}

// Search serves the routes of the search. Create it with New.
type Search struct {
	store Store
	index feed.FindEntries // nil: there is none
	web   *web.Pages
}

//go:embed templates
var files embed.FS

// New returns a Search. If index is nil, its routes respond that the search is disabled, and no page leads to them.
func New(store Store, index feed.FindEntries, kit *web.Kit) *Search {
	return &Search{store, index, kit.Pages(files, nil)}
}

// Site returns the routes of the search.
func (s *Search) Site() web.Site {
	site := web.Site{Routes: []web.Route{
		{Pattern: "GET " + web.SearchPath, Query: []string{"q", "order", "source", "cursor"}, Scope: feed.ScopeFollows, Serve: s.show},
		{
			Pattern: "GET /api/v1/search", Query: []string{"q", "order", "source", "category", "since", "until", "limit", "cursor"}, Scope: feed.ScopeFollows,
			Serve: web.Reply(http.StatusOK, s.list),
		},
	}}
	if s.index != nil {
		site.Nav = []web.Link{{Path: web.SearchPath, Text: "search"}}
	}
	return site
}
