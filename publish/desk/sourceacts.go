package desk

import (
	"context"
	"net/http"

	"github.com/feedwire/feedwire/store/feed"
)

// sourcePages adds the routes of sources to the pages.
func (d *Desk) sourcePages(pages *http.ServeMux) {
	pages.HandleFunc("GET /sources", d.show(d.showSources))
	pages.HandleFunc("GET /sources/{id}", d.source)
	pages.HandleFunc("GET /sources/{id}/edit", d.show(d.editSource))
	pages.HandleFunc("POST /sources/{id}/edit", d.form(sourceAdd, d.saveEdit, d.editWith))
	pages.HandleFunc("GET /sources/add", d.show(d.askSource))
	pages.HandleFunc("POST /sources/find", d.form(sourceDiscover, d.findSource, d.addingWith))
	pages.HandleFunc("POST /sources/preview", d.form(sourceDiscover, d.previewSource, d.addingWith))
	pages.HandleFunc("POST /sources", d.form(sourceAdd, d.addSourceByForm, d.previewWith))
	pages.HandleFunc("GET /sources/import", d.show(d.askImport))
	pages.HandleFunc("POST /sources/import", d.importByForm)
	pages.HandleFunc("GET /sources/export", d.show(d.exportOPML))
	pages.HandleFunc("GET /imports/{id}", d.show(d.showImport))
	pages.HandleFunc("POST /sources/poll", d.form(sourcePoll, d.pollAllByForm, d.sorry))
	pages.HandleFunc("POST /sources/{id}/poll", d.form(sourcePoll, d.bySource("due", d.store.PollSource), d.sorry))
	pages.HandleFunc("POST /sources/{id}/trace", d.form(sourcePoll, d.traceByForm, d.sorry))
	pages.HandleFunc("POST /sources/{id}/pause", d.form(sourcePause, d.bySource("paused", d.pause), d.sorry))
	pages.HandleFunc("POST /sources/{id}/resume", d.form(sourceResume, d.bySource("resumed", d.resume), d.sorry))
	pages.HandleFunc("POST /sources/{id}/remove", d.form(sourceRemove, d.removeByForm, d.sorry))
	pages.HandleFunc("POST /sources/{id}/restore", d.form(sourceRestore, d.restoreByForm, d.sorry))
}

func (d *Desk) pause(ctx context.Context, id string, edition int) error {
	return d.store.SetPaused(ctx, id, true, edition)
}

func (d *Desk) resume(ctx context.Context, id string, edition int) error {
	return d.store.SetPaused(ctx, id, false, edition)
}

// bySource does something with the source of the path and goes back with a notice.
func (d *Desk) bySource(did string, do func(ctx context.Context, id string, edition int) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := sourceID(r)
		if err != nil {
			return err
		}
		if err := do(r.Context(), id, 0); err != nil {
			return err
		}
		source, err := d.store.Source(r.Context(), id)
		if err != nil {
			return err
		}
		about(r, source.URL, "", "")
		goBack(w, r, "/sources/"+id, did, id)
		return nil
	}
}

func (d *Desk) pollAllByForm(w http.ResponseWriter, r *http.Request) error {
	due, err := d.store.PollSources(r.Context())
	if err != nil {
		return err
	}
	d.opts.Logger.Info("all sources are to be polled", "count", due)
	goBack(w, r, "/sources", "alldue", "")
	return nil
}

func (d *Desk) removeByForm(w http.ResponseWriter, r *http.Request) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	source, err := d.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	if err := d.store.RemoveSource(r.Context(), id, 0); err != nil {
		return err
	}
	about(r, source.URL, settings(&source), "")
	d.opts.Logger.Info("source removed", "source", id)
	http.Redirect(w, r, "/sources?did=removed&to="+id, http.StatusSeeOther) //nolint:gosec // 12 hex digits
	return nil
}

// restore adds the source again that a request names, and writes that down.
func (d *Desk) restore(r *http.Request) (feed.Source, error) {
	id, err := sourceID(r)
	if err != nil {
		return feed.Source{}, err
	}
	source, err := d.store.RestoreSource(r.Context(), id)
	if err != nil {
		return feed.Source{}, err
	}
	about(r, source.URL, "", settings(&source))
	d.opts.Logger.Info("source restored", "source", id)
	return source, nil
}

func (d *Desk) restoreByForm(w http.ResponseWriter, r *http.Request) error {
	source, err := d.restore(r)
	if err != nil {
		return err
	}
	goBack(w, r, "/sources", "restored", source.ID)
	return nil
}
