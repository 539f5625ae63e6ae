package republish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/feedwire/feedwire/publish/document"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	storeTimeout = 10 * time.Second // for all reads of one check
	retryAfter   = time.Second      // between checks after the store failed to answer
)

// name identifies a feed: of the source with an id, or of the list with a name.
type name struct {
	list       bool
	id, format string
}

// rendered is the document of a feed with the parts that the next rendering reuses.
type rendered struct {
	*document.Document
	version   string // of the source or the list
	fragments map[fragmentKey]fragment
}

// size returns about how many bytes the document occupies, with the keys of its fragments.
func (d *rendered) size() int { return d.Size() + 256*len(d.fragments) }

// response is the current document. With an error, it is the last one, or nil.
type response struct {
	doc *rendered
	err error
}

// current returns the feed in its current state. Concurrent requests for one feed share one check of the store.
func (s *Server) current(ctx context.Context, of name) response {
	result, _, _ := s.checks.Do(s.url(of), func() (any, error) {
		return s.check(context.WithoutCancel(ctx), of), nil
	})
	return result.(response)
}

func (s *Server) check(ctx context.Context, of name) response {
	cached, ok := s.cache.Get(of)
	if ok && time.Duration(s.opts.Now().UnixNano()-s.failedAt.Load()).Abs() < retryAfter {
		return response{cached, feed.ErrUnavailable}
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	doc, err := s.refresh(ctx, of, cached)
	switch {
	case err == nil:
		return response{doc: doc}
	case errors.Is(err, feed.ErrNotFound):
		s.cache.Remove(of)
		return response{err: err}
	}
	s.opts.Logger.Warn("cannot update a feed", "feed", s.url(of), "cached", cached != nil, "err", err)
	if errors.Is(err, feed.ErrUnavailable) {
		s.failedAt.Store(s.opts.Now().UnixNano())
	}
	return response{cached, err}
}

// refresh returns the cached document if the source or the list has not changed since. It reads the version before the entries, so that
// the next check notices a change in between.
func (s *Server) refresh(ctx context.Context, of name, cached *rendered) (*rendered, error) {
	version, err := s.version(ctx, of)
	if err != nil {
		return nil, fmt.Errorf("read version: %w", err)
	}
	if cached != nil && cached.version == version {
		return cached, nil
	}
	c, err := s.read(ctx, of)
	if err != nil {
		return nil, err
	}
	doc, err := s.render(c, of, cached)
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	doc.version = version
	s.cache.Put(of, doc)
	return doc, nil
}

// render writes the feed. It cleans and encodes only entries that last does not have.
func (s *Server) render(c *contents, of name, last *rendered) (*rendered, error) {
	w := feedxml.New(of.format, feedxml.SourceProfile())
	fragments, changed, err := s.fragments(w, c, last)
	if err != nil {
		return nil, err
	}
	encoded := make([][]byte, len(fragments))
	for i, f := range fragments {
		encoded[i] = f.encoded
	}
	channel := s.channelOf(c, of, changed)
	for _, d := range c.deleted {
		channel.Deleted = append(channel.Deleted, feedxml.Deleted{IDs: idsOf(d.GUID, s.page(of)), Time: d.Time})
		if d.Time.After(channel.Changed) {
			channel.Changed = feedxml.Date(d.Time)
		}
	}
	content, err := w.Document(channel, encoded)
	if err != nil {
		return nil, err
	}
	s.metrics.renders.Inc()
	doc := &rendered{fragments: make(map[fragmentKey]fragment, len(fragments))}
	var previous *document.Document
	if last != nil {
		previous = last.Document
	}
	meta := document.Meta{MediaType: w.MediaType, Private: c.private, Self: channel.Self, Hub: channel.Hub}
	doc.Document, _ = document.New(content, meta, previous, s.opts.Now())
	for i, located := range feedxml.Locate(doc.Body(), encoded) {
		fragments[i].encoded = located
		doc.fragments[fragments[i].key] = fragments[i]
	}
	return doc, nil
}
