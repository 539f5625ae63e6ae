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
func (s *Server) URLs(id string) []string { return s.urls(name{id: id}) }

// ListURLs returns the URLs of the feeds of a list, which are also their topics at the hub; none if lists are not open.
func (s *Server) ListURLs(list string) []string {
	if !s.opts.OpenLists() {
		return nil
	}
	return s.urls(name{list: true, id: list})
}

// urls returns the URLs of a source or a list in all formats.
func (s *Server) urls(of name) (all []string) {
	for _, of.format = range feedxml.Formats() {
		all = append(all, s.url(of))
	}
	return all
}

func (s *Server) url(of name) string {
	if of.list {
		return s.page(of) + "." + of.format
	}
	return s.page(of) + "/feed." + of.format
}

// page returns the URL of a source or a list here.
func (s *Server) page(of name) string {
	if of.list {
		return s.public + listPath + of.id
	}
	return s.public + sourcePath + of.id
}

const (
	sourcePath = "/sources/"
	listPath   = "/lists/"
)

// SourceOf returns the id of the source whose feed has a URL, or an empty string.
func (s *Server) SourceOf(url string) string {
	if of := s.parse(url); !of.list {
		return of.id
	}
	return ""
}

// ListOf returns the name of the list whose feed has a URL, or an empty string.
func (s *Server) ListOf(url string) string {
	if of := s.parse(url); of.list {
		return of.id
	}
	return ""
}

// parse reverses url.
func (s *Server) parse(url string) (of name) {
	if rest, ok := strings.CutPrefix(url, s.public+listPath); ok {
		of.list = true
		of.id, of.format = feed.CutListFormat(rest)
	} else if rest, ok := strings.CutPrefix(url, s.public+sourcePath); ok {
		of.id, of.format, _ = strings.Cut(rest, "/feed.")
	}
	if of.id == "" || strings.Contains(of.id, "/") || s.metrics.requests[of.format] == nil {
		return name{}
	}
	return of
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
		return d, fmt.Errorf("feed %s is out of date: %w: %w", url, feed.ErrUnavailable, now.err)
	case now.doc.Private:
		return d, fmt.Errorf("feed %s is private: %w", url, feed.ErrNotFound)
	}
	return feed.Distribution{Topic: url, ContentType: now.doc.ContentType(), Body: now.doc.Body(), Whole: true}, nil
}
