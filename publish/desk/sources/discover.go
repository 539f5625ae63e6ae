package sources

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// discover serves POST /api/v1/discover: the feeds at a URL. The URL of a source is not fetched.
func (ss *Sources) discover(w http.ResponseWriter, r *http.Request) error {
	address, err := decodeURL(w, r, "required: the URL of a page or feed")
	if err != nil {
		return err
	}
	if url, err := feed.CanonicalURL(address); err == nil {
		source, err := ss.store.Source(r.Context(), feed.SourceID(url))
		switch {
		case err == nil:
			known := feed.Candidate{URL: source.URL, Title: source.About.Title, Found: feed.FoundKnown}
			web.JSON(w, http.StatusOK, web.List([]feed.Candidate{known}, ""))
			return nil
		case !errors.Is(err, feed.ErrNotFound):
			return err
		}
	}
	found, err := ss.opts.Discover(r.Context(), address)
	if err != nil {
		return feed.Invalid("url", err.Error())
	}
	web.JSON(w, http.StatusOK, web.List(found, ""))
	return nil
}

// Peeked is the response to POST /api/v1/peek.
type Peeked struct {
	About  feed.About   `json:"about"`
	Format string       `json:"format,omitempty"`
	Items  []feed.Entry `json:"items"` // newest first, without content
}

const maxPeeked = 50 // entries

// peek serves POST /api/v1/peek: the entries that a feed has now. Nothing is stored.
func (ss *Sources) peek(w http.ResponseWriter, r *http.Request) error {
	url, err := decodeURL(w, r, "required: the URL of a feed")
	if err != nil {
		return err
	}
	doc, err := ss.opts.Peek(r.Context(), url)
	if err != nil {
		return feed.Invalid("url", err.Error())
	}
	entries := slices.Clone(doc.Entries)
	slices.Reverse(entries)
	entries = entries[:min(maxPeeked, len(entries))]
	for i := range entries {
		entries[i].Content = ""
	}
	web.JSON(w, http.StatusOK, Peeked{About: doc.About, Format: doc.Format, Items: append([]feed.Entry{}, entries...)})
	return nil
}

// decodeURL returns the URL in a body, or an error with a reason if it is missing.
func decodeURL(w http.ResponseWriter, r *http.Request, missing string) (string, error) {
	var body struct {
		URL string `json:"url"`
	}
	if err := web.Decode(w, r, &body); err != nil {
		return "", err
	}
	if strings.TrimSpace(body.URL) == "" {
		return "", feed.Invalid("url", missing)
	}
	return body.URL, nil
}
