package entries

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// list serves GET /api/v1/sources/{id}/entries: entries of a source, newest first, without content unless ?content=1.
func (es *Entries) list(r *http.Request) (page feed.Page[feed.Entry], err error) {
	query := web.QueryOf(r)
	limit, content, from := query.Limit(), query.Content(), query.Position()
	if query.Err != nil {
		return page, query.Err
	}
	source, err := es.sourceOf(r)
	if err != nil {
		return page, err
	}
	entries, next, err := es.store.EntriesPage(r.Context(), source.URL, from, limit)
	if !content {
		for i := range entries {
			entries[i].Content = ""
		}
	}
	return web.List(entries, next.String()), err
}

// get serves GET /api/v1/entries/{n}.
func (es *Entries) get(w http.ResponseWriter, r *http.Request) error {
	e, err := es.entryOf(r)
	if err == nil {
		answer(w, &e)
	}
	return err
}

// getByGUID serves GET /api/v1/sources/{id}/entries/{guid}.
func (es *Entries) getByGUID(w http.ResponseWriter, r *http.Request) error {
	source, err := es.sourceOf(r)
	if err != nil {
		return err
	}
	e, err := es.store.EntryByGUID(r.Context(), source.URL, r.PathValue("guid"))
	if err == nil {
		answer(w, &e)
	}
	return err
}

// answer responds with an entry. If-Match of a later request compares all of its fields.
func answer(w http.ResponseWriter, e *feed.Entry) {
	web.SetState(w, stateOf(e))
	web.JSON(w, http.StatusOK, e)
}

// stateOf identifies what people decide about an entry: everything in it.
func stateOf(e *feed.Entry) string { return web.Hash(fmt.Sprint(e.ID, e.Fields())) }

// sourceOf returns the source in the path.
func (es *Entries) sourceOf(r *http.Request) (feed.Source, error) {
	id, err := feed.ParseSourceID(r.PathValue("id"))
	if err != nil {
		return feed.Source{}, err
	}
	return es.store.Source(r.Context(), id)
}

// entryOf returns the entry in the path.
func (es *Entries) entryOf(r *http.Request) (feed.Entry, error) {
	return es.entry(r.Context(), r.PathValue("n"))
}

// entry returns the entry with a number.
func (es *Entries) entry(ctx context.Context, n string) (feed.Entry, error) {
	if len(n) > 19 || strings.Trim(n, "0123456789") != "" {
		return feed.Entry{}, fmt.Errorf("entry %.32q %w: use its number, such as 5 for Entry:5", n, feed.ErrNotFound)
	}
	return es.store.Entry(ctx, "Entry:"+n)
}
