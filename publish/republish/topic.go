package republish

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/store/feed"
)

// URLs returns the URLs of the feeds of a source, which are also their topics at the hub.
func (s *Server) URLs(id string) (all []string) {
	for _, format := range feedxml.Formats() {
		all = append(all, s.url(name{id, format}))
	}
	return all
}

func (s *Server) url(of name) string { return s.page(of.id) + "/feed." + of.format }

// page returns the URL of a source here.
func (s *Server) page(id string) string { return s.public + "/sources/" + id }

// SourceOf returns the id of the source whose feed has a URL, or an empty string.
func (s *Server) SourceOf(url string) string { return s.parse(url).id }

// parse reverses url.
func (s *Server) parse(url string) name {
	rest, ok := strings.CutPrefix(url, s.public+"/sources/")
	id, format, found := strings.Cut(rest, "/feed.")
	if !ok || !found || id == "" || strings.Contains(id, "/") || s.metrics.requests[format] == nil {
		return name{}
	}
	return name{id, format}
}

// Document returns the current feed with a URL. Errors: feed.ErrNotFound if there is no such feed or it is private,
// feed.ErrUnavailable if it cannot be updated.
func (s *Server) Document(ctx context.Context, url string) (d feed.Distribution, err error) {
	of := s.parse(url)
	if of.id == "" {
		return d, fmt.Errorf("feed %.200s: %w", url, feed.ErrNotFound)
	}
	now := s.current(ctx, of)
	switch {
	case errors.Is(now.err, feed.ErrNotFound):
		return d, now.err
	case now.err != nil:
		return d, fmt.Errorf("feed of source %s is out of date: %w: %w", of.id, feed.ErrUnavailable, now.err)
	case now.doc.Private:
		return d, fmt.Errorf("feed of source %s is private: %w", of.id, feed.ErrNotFound)
	}
	return feed.Distribution{Topic: url, ContentType: now.doc.ContentType(), Body: now.doc.Body(), Whole: true}, nil
}
