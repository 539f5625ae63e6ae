package desk

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// listSources answers sources in the order of their URLs.
func (d *Desk) listSources(w http.ResponseWriter, r *http.Request) error {
	limit, err := limit(r)
	if err != nil {
		return err
	}
	after, err := cursor(r)
	if err != nil {
		return err
	}
	sources, next, err := d.store.SourcesPage(r.Context(), after, limit)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, list(sources, cursorText(next)))
	return nil
}

// sourceID takes the source from the path: its id, or its URL in escaped form.
func sourceID(r *http.Request) (string, error) {
	return checkSource(r.PathValue("id"))
}

// checkSource is the id of a source that is named by its id or URL.
func checkSource(name string) (string, error) {
	if len(name) == 12 && strings.Trim(name, "0123456789abcdef") == "" {
		return name, nil
	}
	url, err := feed.CanonicalURL(name)
	if err != nil {
		return "", fmt.Errorf("source %.128q %w: name it by its 12 hex digits or by its URL", name, feed.ErrNotFound)
	}
	return feed.SourceID(url), nil
}

func (d *Desk) showSource(w http.ResponseWriter, r *http.Request) error {
	return d.withSource(w, r, http.StatusOK, func(context.Context, string, int) error { return nil })
}

func (d *Desk) pauseSource(w http.ResponseWriter, r *http.Request) error {
	return d.withSource(w, r, http.StatusOK, d.pause)
}

func (d *Desk) resumeSource(w http.ResponseWriter, r *http.Request) error {
	return d.withSource(w, r, http.StatusOK, d.resume)
}

// withSource does something with the source of the path and answers with the source as it is then, and with what decides
// when it is polled.
func (d *Desk) withSource(
	w http.ResponseWriter, r *http.Request, status int, do func(ctx context.Context, id string, edition int) error,
) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	edition := 0
	if conditional(r) {
		source, err := d.store.Source(r.Context(), id)
		if err != nil {
			return err
		}
		if edition, err = asSeen(r, &source); err != nil {
			return err
		}
	}
	if err := do(r.Context(), id, edition); err != nil {
		return err
	}
	source, err := d.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	about(r, source.URL, "", "")
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		decided(w, decidedOfSource(&source))
	}
	source.Pace = d.opts.Pace(&source)
	source.Republished = d.opts.Republished(source.ID)
	answer(w, status, source)
	return nil
}

// asSeen is the edition of a source that a request knows, for the store to hold what it does against; 0 where it sets no
// condition.
func asSeen(r *http.Request, source *feed.Source) (edition int, err error) {
	if !conditional(r) {
		return 0, nil
	}
	return source.Edition, unchanged(r, decidedOfSource(source))
}

func (d *Desk) removeSource(w http.ResponseWriter, r *http.Request) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	source, err := d.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	edition, err := asSeen(r, &source)
	if err != nil {
		return err
	}
	if err := d.store.RemoveSource(r.Context(), id, edition); err != nil {
		return err
	}
	about(r, source.URL, settings(&source), "")
	d.opts.Logger.Info("source removed", "source", id)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
