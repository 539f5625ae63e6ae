package sources

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// listEntries serves GET /api/v1/sources/{id}/entries: entries of a source, newest first, without content unless ?content=1.
func (ss *Sources) listEntries(w http.ResponseWriter, r *http.Request) error {
	limit, err := web.Limit(r)
	if err != nil {
		return err
	}
	content, err := web.WithContent(r)
	if err != nil {
		return err
	}
	from, err := feed.ParseCursor(r.URL.Query().Get("cursor"))
	if err != nil {
		return feed.Invalid("cursor", err.Error())
	}
	source, err := ss.sourceOf(r)
	if err != nil {
		return err
	}
	entries, next, err := ss.store.EntriesPage(r.Context(), source.URL, from, limit)
	if err != nil {
		return err
	}
	if !content {
		for i := range entries {
			entries[i].Content = ""
		}
	}
	web.JSON(w, http.StatusOK, web.List(entries, next.String()))
	return nil
}

// getEntry serves GET /api/v1/entries/{n}.
func (ss *Sources) getEntry(w http.ResponseWriter, r *http.Request) error {
	n := r.PathValue("n")
	if len(n) > 19 || strings.Trim(n, "0123456789") != "" {
		return fmt.Errorf("entry %.32q %w: use its number, such as 5 for Entry:5", n, feed.ErrNotFound)
	}
	entry, err := ss.store.Entry(r.Context(), "Entry:"+n)
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, entry)
	return nil
}
