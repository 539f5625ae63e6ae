package desk

import (
	"errors"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// discover answers with the feeds behind a URL. For that of a known source nobody is asked: it is its own feed.
func (d *Desk) discover(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		URL string `json:"url"`
	}
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if strings.TrimSpace(body.URL) == "" {
		return wrong("url", "required: the address of a page or feed")
	}
	if url, err := feed.CanonicalURL(body.URL); err == nil {
		source, err := d.store.Source(r.Context(), feed.SourceID(url))
		switch {
		case err == nil:
			known := feed.Candidate{URL: source.URL, Title: source.About.Title, Found: feed.FoundKnown}
			answer(w, http.StatusOK, list([]feed.Candidate{known}, ""))
			return nil
		case !errors.Is(err, feed.ErrNotFound):
			return err
		}
	}
	found, err := d.opts.Discover(r.Context(), body.URL)
	if err != nil {
		return wrong("url", err.Error())
	}
	answer(w, http.StatusOK, list(found, ""))
	return nil
}
