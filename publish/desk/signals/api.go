package signals

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// list serves GET /api/v1/signals: the signals after an id, oldest first. The cursor is the id of the last signal, even on the last
// page, so that a client can continue with later signals. An empty page has no cursor.
func (s *Signals) list(r *http.Request) (page feed.Page[feed.Signal], err error) {
	query := web.QueryOf(r)
	limit, content, after := query.Limit(), query.Content(), query.Get("after")
	if !web.IsStreamID(after) {
		query.Refuse("after", "use the id of a signal, like 1795206000000-0")
	}
	if query.Err != nil {
		return page, query.Err
	}
	if after != "" && !strings.Contains(after, "-") {
		after += "-0"
	}
	found, err := s.store.Signals(r.Context(), after, limit, 0)
	page = web.List(found, "")
	for i := range page.Items {
		signal := &page.Items[i]
		page.Next = signal.ID
		if signal.Post != nil && !content {
			post := *signal.Post
			post.Content = ""
			signal.Post = &post
		}
	}
	return page, err
}

// search serves GET /api/v1/signals/search, newest first.
func (s *Signals) search(r *http.Request) (page feed.Page[feed.Signal], err error) {
	query, err := queryOf(r)
	if err != nil {
		return page, err
	}
	found, next, err := s.store.FindSignals(r.Context(), query)
	return web.List(found, next), err
}

// queryOf returns the search of a request.
func queryOf(r *http.Request) (feed.SignalQuery, error) {
	query := web.QueryOf(r)
	q := feed.SignalQuery{Text: query.Search(), Before: query.StreamCursor(), Limit: query.Limit(), Kinds: query.Kinds()}
	var err error
	if text := query.Get("feed_url"); text != "" {
		if q.FeedURL, err = feed.CanonicalURL(text); err != nil {
			query.Refuse("feed_url", err.Error())
		}
	}
	q.Since = query.Time("since")
	return q, query.Err
}

// get serves GET /api/v1/signals/{signal}, with the post.
func (s *Signals) get(r *http.Request) (feed.Signal, error) {
	id := r.PathValue("signal")
	if !web.IsStreamID(id) || id == "" {
		return feed.Signal{}, fmt.Errorf("signal %.64q %w: ids look like 1795206000000-0", id, feed.ErrNotFound)
	}
	return s.store.Signal(r.Context(), id)
}
