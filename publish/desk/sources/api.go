package sources

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// list serves GET /api/v1/sources: sources ordered by URL.
func (ss *Sources) list(w http.ResponseWriter, r *http.Request) error {
	limit, err := web.Limit(r)
	if err != nil {
		return err
	}
	after, err := web.Cursor(r)
	if err != nil {
		return err
	}
	sources, next, err := ss.store.SourcesPage(r.Context(), after, limit)
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, web.List(sources, web.CursorText(next)))
	return nil
}

// idOf returns the id of the source in the path, which is an id or an escaped URL.
func idOf(r *http.Request) (string, error) { return parseID(r.PathValue("id")) }

// parseID returns the id of a source from its id or URL.
func parseID(name string) (string, error) {
	if len(name) == 12 && strings.Trim(name, "0123456789abcdef") == "" {
		return name, nil
	}
	url, err := feed.CanonicalURL(name)
	if err != nil {
		return "", fmt.Errorf("source %.128q %w: use its id (12 hex digits) or its URL", name, feed.ErrNotFound)
	}
	return feed.SourceID(url), nil
}

// sourceOf returns the source in the path.
func (ss *Sources) sourceOf(r *http.Request) (feed.Source, error) {
	id, err := idOf(r)
	if err != nil {
		return feed.Source{}, err
	}
	return ss.store.Source(r.Context(), id)
}

// get serves GET /api/v1/sources/{id}.
func (ss *Sources) get(w http.ResponseWriter, r *http.Request) error {
	return ss.change(w, r, http.StatusOK, func(context.Context, string, int) error { return nil })
}

// actByAPI serves an action on the source of the path.
func (ss *Sources) actByAPI(status int, act action) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error { return ss.change(w, r, status, act) }
}

// change performs an action on the source of the path, if the condition of the request holds, and responds with the source.
func (ss *Sources) change(w http.ResponseWriter, r *http.Request, status int, act action) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	revision := 0
	if web.HasCondition(r) {
		source, err := ss.store.Source(r.Context(), id)
		if err != nil {
			return err
		}
		if revision, err = expectedRevision(r, &source); err != nil {
			return err
		}
	}
	if err := act(r.Context(), id, revision); err != nil {
		return err
	}
	source, err := ss.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	web.Changed(r, feed.SourceObject(&source), "", "")
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		web.SetState(w, decided(&source))
	}
	source.Pace = ss.opts.Pace(&source)
	source.Republished = ss.opts.Republished(source.ID)
	web.JSON(w, status, source)
	return nil
}

// expectedRevision returns the revision that the store must find, or 0 if the request has no condition.
func expectedRevision(r *http.Request, source *feed.Source) (int, error) {
	if !web.HasCondition(r) {
		return 0, nil
	}
	return source.Revision, web.CheckCondition(r, decided(source))
}

// decided identifies what people decide about a source: its settings and whether it is paused.
func decided(s *feed.Source) string {
	return web.Hash(fmt.Sprintf("%s %d %d %t", s.URL, s.Added.Unix(), s.Revision, s.Paused))
}

// remove serves DELETE /api/v1/sources/{id}.
func (ss *Sources) remove(w http.ResponseWriter, r *http.Request) error {
	if _, err := ss.removeSource(r); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// restore serves POST /api/v1/sources/{id}/restore.
func (ss *Sources) restore(w http.ResponseWriter, r *http.Request) error {
	source, err := ss.restoreSource(r)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/sources/"+source.ID)
	web.JSON(w, http.StatusCreated, source)
	return nil
}
