package desk

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// searchSignals answers the signals that are looked for, the newest first, as their page does.
func (d *Desk) searchSignals(w http.ResponseWriter, r *http.Request) error {
	query, err := signalQuery(r)
	if err != nil {
		return err
	}
	found, next, err := d.store.FindSignals(r.Context(), query)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, list(found, next))
	return nil
}

// signalQuery is what a request looks for.
func signalQuery(r *http.Request) (q feed.SignalQuery, err error) {
	query := r.URL.Query()
	q = feed.SignalQuery{Text: sought(r), Before: query.Get("cursor")}
	if q.Limit, err = limit(r); err != nil {
		return q, err
	}
	if !signalID.MatchString(q.Before) {
		return q, wrong("cursor", "use next of the answer before")
	}
	for _, text := range query["kind"] {
		kind := feed.SignalKind(text)
		if !slices.Contains(feed.SignalKinds(), kind) {
			return q, wrong("kind", "use feed_created, feed_modified, post_created or post_modified")
		}
		q.Kinds = append(q.Kinds, kind)
	}
	if text := query.Get("feed_url"); text != "" {
		if q.FeedURL, err = feed.CanonicalURL(text); err != nil {
			return q, wrong("feed_url", err.Error())
		}
	}
	if text := query.Get("since"); text != "" {
		if q.Since, err = time.Parse(time.RFC3339, text); err != nil {
			return q, wrong("since", "use a time like 2026-11-20T21:43:46Z")
		}
	}
	return q, nil
}

// oneSignal answers a signal with its post.
func (d *Desk) oneSignal(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("signal")
	if !signalID.MatchString(id) {
		return fmt.Errorf("signal %.64q %w: ids look like 1795206000000-0", id, feed.ErrNotFound)
	}
	signal, err := d.store.Signal(r.Context(), id)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, signal)
	return nil
}
