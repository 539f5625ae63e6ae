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
func (ss *Sources) discover(r *http.Request) (page feed.Page[feed.Candidate], err error) {
	address, err := decodeURL(r, "required: the URL of a page or feed")
	if err != nil {
		return page, err
	}
	if url, err := feed.CanonicalURL(address); err == nil {
		source, err := ss.store.Source(r.Context(), feed.SourceID(url))
		switch {
		case err == nil:
			known := feed.Candidate{URL: source.URL, Title: source.About.Title, Found: feed.FoundKnown}
			return web.List([]feed.Candidate{known}, ""), nil
		case !errors.Is(err, feed.ErrNotFound):
			return page, err
		}
	}
	found, err := ss.opts.Discover(r.Context(), address)
	if err != nil {
		return page, feed.Invalid("url", err.Error())
	}
	return web.List(found, ""), nil
}

// Peeked is the response to POST /api/v1/peek.
type Peeked struct {
	About  feed.About   `json:"about"`
	Format string       `json:"format,omitempty"`
	Items  []feed.Entry `json:"items"` // newest first, without content
}

const maxPeeked = 50 // entries

// peek serves POST /api/v1/peek: the entries that a feed has now. Nothing is stored.
func (ss *Sources) peek(r *http.Request) (Peeked, error) {
	url, err := decodeURL(r, "required: the URL of a feed")
	if err != nil {
		return Peeked{}, err
	}
	doc, err := ss.opts.Peek(r.Context(), url)
	if err != nil {
		return Peeked{}, feed.Invalid("url", err.Error())
	}
	return Peeked{About: doc.About, Format: doc.Format, Items: newestOf(doc.Entries, maxPeeked)}, nil
}

// newestOf returns up to limit entries of a document, newest first and without content.
func newestOf(entries []feed.Entry, limit int) []feed.Entry {
	newest := append([]feed.Entry{}, entries...)
	slices.Reverse(newest)
	newest = newest[:min(limit, len(newest))]
	for i := range newest {
		newest[i].Content = ""
	}
	return newest
}

// decodeURL returns the URL in a body, or an error with a reason if it is missing.
func decodeURL(r *http.Request, missing string) (string, error) {
	var body struct {
		URL string `json:"url"`
	}
	if err := web.Decode(r, &body); err != nil {
		return "", err
	}
	if strings.TrimSpace(body.URL) == "" {
		return "", feed.Invalid("url", missing)
	}
	return body.URL, nil
}
