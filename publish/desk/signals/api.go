package signals

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// list serves GET /api/v1/signals: the signals after an id, oldest first. The cursor is the id of the last signal, even on the last page, so
// that a client can continue with later signals. An empty page has no cursor.
func (s *Signals) list(w http.ResponseWriter, r *http.Request) error {
	limit, err := web.Limit(r)
	if err != nil {
		return err
	}
	content, err := web.WithContent(r)
	if err != nil {
		return err
	}
	after := r.URL.Query().Get("after")
	if !web.IsStreamID(after) {
		return feed.Invalid("after", "use the id of a signal, like 1795206000000-0")
	}
	if after != "" && !strings.Contains(after, "-") {
		after += "-0"
	}
	found, err := s.store.Signals(r.Context(), after, limit, 0)
	if err != nil {
		return err
	}
	if !content {
		for i := range found {
			found[i] = withoutContent(found[i])
		}
	}
	var next string
	if n := len(found); n > 0 {
		next = found[n-1].ID
	}
	web.JSON(w, http.StatusOK, web.List(found, next))
	return nil
}

// withoutContent returns a signal whose post has no content. It does not change the post of the argument.
func withoutContent(signal feed.Signal) feed.Signal {
	if signal.Post != nil {
		post := *signal.Post
		post.Content = ""
		signal.Post = &post
	}
	return signal
}

// search serves GET /api/v1/signals/search, newest first.
func (s *Signals) search(w http.ResponseWriter, r *http.Request) error {
	query, err := queryOf(r)
	if err != nil {
		return err
	}
	found, next, err := s.store.FindSignals(r.Context(), query)
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, web.List(found, next))
	return nil
}

// queryOf returns the search of a request.
func queryOf(r *http.Request) (q feed.SignalQuery, err error) {
	query := r.URL.Query()
	q = feed.SignalQuery{Text: web.SearchText(r), Before: query.Get("cursor")}
	if q.Limit, err = web.Limit(r); err != nil {
		return q, err
	}
	if !web.IsStreamID(q.Before) {
		return q, feed.Invalid("cursor", "use next of the previous response")
	}
	for _, text := range query["kind"] {
		kind := feed.SignalKind(text)
		if !slices.Contains(feed.SignalKinds(), kind) {
			return q, feed.Invalid("kind", "use feed_created, feed_modified, post_created or post_modified")
		}
		q.Kinds = append(q.Kinds, kind)
	}
	if text := query.Get("feed_url"); text != "" {
		if q.FeedURL, err = feed.CanonicalURL(text); err != nil {
			return q, feed.Invalid("feed_url", err.Error())
		}
	}
	if text := query.Get("since"); text != "" {
		if q.Since, err = time.Parse(time.RFC3339, text); err != nil {
			return q, feed.Invalid("since", "use a time like 2026-11-20T21:43:46Z")
		}
	}
	return q, nil
}

// get serves GET /api/v1/signals/{signal}, with the post.
func (s *Signals) get(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("signal")
	if !web.IsStreamID(id) {
		return fmt.Errorf("signal %.64q %w: ids look like 1795206000000-0", id, feed.ErrNotFound)
	}
	signal, err := s.store.Signal(r.Context(), id)
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, signal)
	return nil
}
