package desk

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// listEntries answers entries of a source, the newest first, without their content unless it is asked for.
func (d *Desk) listEntries(w http.ResponseWriter, r *http.Request) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	limit, err := limit(r)
	if err != nil {
		return err
	}
	content, err := withContent(r)
	if err != nil {
		return err
	}
	from, err := feed.ParseCursor(r.URL.Query().Get("cursor"))
	if err != nil {
		return wrong("cursor", err.Error())
	}
	source, err := d.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	entries, next, err := d.store.EntriesPage(r.Context(), source.URL, from, limit)
	if err != nil {
		return err
	}
	if !content {
		for i := range entries {
			entries[i].Content = ""
		}
	}
	answer(w, http.StatusOK, list(entries, next.String()))
	return nil
}

func (d *Desk) showEntry(w http.ResponseWriter, r *http.Request) error {
	n := r.PathValue("n")
	if len(n) > 19 || strings.Trim(n, "0123456789") != "" {
		return fmt.Errorf("entry %.32q %w: name it by its number, as 5 for Entry:5", n, feed.ErrNotFound)
	}
	entry, err := d.store.Entry(r.Context(), "Entry:"+n)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, entry)
	return nil
}
