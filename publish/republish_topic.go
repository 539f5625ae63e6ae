package publish

import (
	"context"
	"fmt"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// URLs are where the feeds of a source are served, which are their topics at the hub, too.
func (r *Republisher) URLs(id string) (all []string) {
	for _, format := range formats() {
		all = append(all, r.url(reissue{id, format}))
	}
	return all
}

func (r *Republisher) url(of reissue) string {
	return r.public + "/sources/" + of.id + "/feed." + of.format
}

// SourceOf is the id of the source whose feed has this URL; empty: it is the URL of none.
func (r *Republisher) SourceOf(url string) string { return r.named(url).id }

func (r *Republisher) named(url string) (of reissue) {
	rest, ok := strings.CutPrefix(url, r.public+"/sources/")
	id, format, found := strings.Cut(rest, "/feed.")
	if of = (reissue{id, format}); !ok || !found || id == "" || strings.Contains(id, "/") || r.metrics.requests[format] == nil {
		return reissue{}
	}
	return of
}

// Document is the feed with this URL as it is served now. feed.ErrNotFound: there is no such feed, or it is not for all;
// feed.ErrUnavailable: it cannot be brought up to date.
func (r *Republisher) Document(ctx context.Context, url string) (content []byte, contentType string, err error) {
	of := r.named(url)
	if of.id == "" {
		return nil, "", fmt.Errorf("feed %.200s: %w", url, feed.ErrNotFound)
	}
	now := r.current(ctx, of)
	switch {
	case now.err != nil:
		return nil, "", now.err
	case now.stale:
		return nil, "", fmt.Errorf("feed of source %s is out of date: %w", of.id, feed.ErrUnavailable)
	case now.doc.private:
		return nil, "", fmt.Errorf("feed of source %s is private: %w", of.id, feed.ErrNotFound)
	}
	return now.doc.plain.body, now.doc.plain.header["Content-Type"][0], nil
}
