package search

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	pageSize = 25
	maxTitle = 300 // bytes; some feeds have whole texts as titles
)

// page is the data of search.html.
type page struct {
	web.ListPage[row]
	Text       string // of the search field
	Source     string // of the query; empty: all
	SourceName string
	Orders     []web.Choice
	Incomplete bool // the index does not have all entries yet
	MaxText    int  // characters
}

// row is an entry that was found.
type row struct {
	feed.SearchHit
	Source string // its name
}

// Name returns what the entry is called.
func (r row) Name() string {
	e := &r.Entry
	return hypertext.Cut(cmp.Or(strings.TrimSpace(e.Title), e.Link, "Entry "+e.Number()), maxTitle)
}

// show serves GET /search. A text that cannot be searched is explained above the field.
func (s *Search) show(w http.ResponseWriter, r *http.Request) error {
	query := web.QueryOf(r)
	view := page{Text: query.Get("q"), Source: query.Get("source"), MaxText: feed.MaxSearch}
	view.Title = "Search"
	relevance := query.Get("order") == orderRelevance
	view.Orders = []web.Choice{{Value: orderTime, Text: "newest first", On: !relevance}, {Value: orderRelevance, Text: "best match first", On: relevance}}
	if s.index == nil {
		return feed.ErrNoSearch
	}
	if strings.TrimSpace(view.Text) == "" {
		return s.web.Render(w, r, "search.html", &view)
	}
	found, err := s.find(r, query, pageSize)
	if errors.Is(err, feed.ErrInvalid) {
		view.Status, view.Problem = s.web.Message(r, err)
		return s.web.Render(w, r, "search.html", &view)
	}
	if err != nil {
		return err
	}
	if view.Rows, err = s.rows(r, found.Hits); err != nil {
		return err
	}
	if view.Source != "" {
		view.SourceName = view.Source
		if len(view.Rows) > 0 {
			view.SourceName = view.Rows[0].Source
		}
	}
	view.Incomplete, view.Pager = found.Incomplete, web.PagerOf(r, found.Next.String())
	return s.web.Render(w, r, "search.html", &view)
}

// rows returns what was found, with the names of the sources.
func (s *Search) rows(r *http.Request, hits []feed.SearchHit) ([]row, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	var urls []string
	for i := range hits {
		urls = append(urls, hits[i].Entry.FeedURL)
	}
	slices.Sort(urls)
	titles, err := s.store.TitlesByURL(r.Context(), slices.Compact(urls))
	all := make([]row, len(hits))
	for i, hit := range hits {
		all[i] = row{hit, cmp.Or(strings.TrimSpace(titles[hit.Entry.FeedURL].Title), hit.Entry.FeedURL)}
	}
	return all, err
}
