package sources

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// list serves GET /api/v1/sources: sources ordered by URL.
func (ss *Sources) list(r *http.Request) (page feed.Page[feed.Source], err error) {
	query := web.QueryOf(r)
	limit, after := query.Limit(), query.Cursor()
	if query.Err != nil {
		return page, query.Err
	}
	sources, next, err := ss.store.SourcesPage(r.Context(), after, limit)
	return web.List(sources, web.CursorText(next)), err
}

// get serves GET /api/v1/sources/{id}.
func (ss *Sources) get(w http.ResponseWriter, r *http.Request) error {
	source, _, err := ss.wanted(r)
	if err != nil {
		return err
	}
	ss.complete(&source)
	web.SetState(w, decided(&source))
	web.JSON(w, http.StatusOK, source)
	return nil
}

// add serves POST /api/v1/sources: it adds a source, or changes an existing one.
func (ss *Sources) add(w http.ResponseWriter, r *http.Request) error {
	var body sourceBody
	if err := web.Decode(r, &body); err != nil {
		return err
	}
	stored, created, err := ss.save(r, &body)
	if err != nil {
		return err
	}
	if !created {
		web.JSON(w, http.StatusOK, stored)
		return nil
	}
	return writeCreated(w, stored)
}

// patch serves PATCH /api/v1/sources/{id}: it changes the settings that the body has.
func (ss *Sources) patch(r *http.Request) (feed.Source, error) {
	var body sourceBody
	source, err := ss.sourceOf(r)
	if err == nil {
		err = web.Decode(r, &body)
	}
	if err != nil {
		return source, err
	}
	if body.URL != "" {
		return source, feed.Invalid("url", "it identifies the source and cannot change; address is where the source is polled")
	}
	body.URL = source.URL
	stored, _, err := ss.save(r, &body)
	return stored, err
}

// restoreByAPI serves POST /api/v1/sources/{id}/restore.
func (ss *Sources) restoreByAPI(w http.ResponseWriter, r *http.Request) error {
	source, err := ss.restore(r)
	if err != nil {
		return err
	}
	return writeCreated(w, source)
}

// writeCreated responds 201 with a source and its Location.
func writeCreated(w http.ResponseWriter, s feed.Source) error {
	w.Header().Set("Location", "/api/v1/sources/"+s.ID)
	web.JSON(w, http.StatusCreated, s)
	return nil
}
