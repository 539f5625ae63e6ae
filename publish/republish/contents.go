package republish

import (
	"context"
	"fmt"
	"maps"

	"github.com/feedwire/feedwire/store/feed"
)

// contents is what a feed is made of.
type contents struct {
	source  *feed.Source   // nil: the feed is of a list
	list    feed.EntryList // without a source
	entries []feed.Entry
	deleted []feed.DeletedEntry    // of a source
	sources map[string]feed.Source // of the entries of a list, by URL
	private bool
}

// sourceOf returns the source of an entry.
func (c *contents) sourceOf(e *feed.Entry) *feed.Source {
	if c.source != nil {
		return c.source
	}
	source := c.sources[e.FeedURL]
	return &source
}

// version returns a text that changes with the contents of a feed.
func (s *Server) version(ctx context.Context, of name) (string, error) {
	if !of.list {
		return s.store.SourceVersion(ctx, of.id, s.opts.Entries)
	}
	version, err := s.store.ListVersion(ctx, of.id, feed.ListTop)
	return fmt.Sprint(version, " ", s.opts.OpenLists()), err
}

// read returns the contents of a feed.
func (s *Server) read(ctx context.Context, of name) (*contents, error) {
	if of.list {
		page, err := s.store.ListEntries(ctx, of.id, feed.ListTop)
		if err != nil {
			return nil, fmt.Errorf("read list: %w", err)
		}
		return &contents{list: page.List, entries: page.Entries, sources: page.Sources, private: !s.opts.OpenLists()}, nil
	}
	source, err := s.store.Source(ctx, of.id)
	if err != nil {
		return nil, fmt.Errorf("read source: %w", err)
	}
	entries, err := s.store.Entries(ctx, source.URL, s.opts.Entries)
	if err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	if err := s.nameThreads(ctx, source.URL, entries); err != nil {
		return nil, fmt.Errorf("read threads: %w", err)
	}
	deleted, err := s.store.Deleted(ctx, source.URL)
	if err != nil {
		return nil, fmt.Errorf("read deleted entries: %w", err)
	}
	return &contents{source: &source, entries: entries, deleted: deleted, private: source.Private()}, nil
}

// nameThreads replaces the comments of entries by those of the members here, and their number.
func (s *Server) nameThreads(ctx context.Context, feedURL string, entries []feed.Entry) error {
	if s.opts.ThreadURL == nil {
		return nil
	}
	threads, err := s.store.Threads(ctx, feedURL, entries)
	for i := range entries {
		e := &entries[i]
		comments, open := threads[e.ID]
		if !open {
			continue
		}
		if e.Extra = maps.Clone(e.Extra); e.Extra == nil {
			e.Extra = make(map[string]string)
		}
		e.Extra["comments"], e.Extra["comment_count"] = s.opts.ThreadURL(e.Number()), comments
	}
	return err
}
