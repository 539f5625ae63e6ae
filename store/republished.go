package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/entry"
	"github.com/feedwire/feedwire/store/feed"
)

// SourceWithEntries returns a source with its last polls, and its newest entries without content. It takes two exchanges if the id
// was used before. feed.ErrNotFound: there is no such source.
func (s *Store) SourceWithEntries(ctx context.Context, id string, limit int) (feed.Source, []feed.Entry, error) {
	url, err := s.Sources.SourceURL(ctx, id)
	if err != nil {
		return feed.Source{}, nil, err
	}
	replies, err := s.db.Pipeline(ctx, "sources", func(b *core.Batch) {
		s.Sources.AskSource(b, url)
		s.Entries.AskNewest(b, url, limit)
	})
	if err != nil {
		return feed.Source{}, nil, fmt.Errorf("read source %s: %w", url, err)
	}
	r := core.Replies(replies)
	source, err := s.Sources.ReadSource(url, &r)
	if err != nil {
		return feed.Source{}, nil, err
	}
	entries, err := s.Entries.LoadHeadlines(ctx, entry.Refs(url, r.Texts()...))
	return source, entries, err
}

// SourceVersion returns a text that changes with everything that a republished feed of the newest limit entries depends on: the
// entries, the description of the source, and the credentials to fetch it. feed.ErrNotFound: there is no such source.
func (s *Store) SourceVersion(ctx context.Context, id string, limit int) (string, error) {
	url, err := s.Sources.SourceURL(ctx, id)
	if err != nil {
		return "", err
	}
	replies, err := s.db.Pipeline(ctx, "sources", func(b *core.Batch) {
		s.Sources.AskSourceVersion(b, url)
		s.Entries.AskNewest(b, url, limit)
	})
	if err != nil {
		return "", fmt.Errorf("read version of source %s: %w", id, err)
	}
	about, err := redis.Strings(replies[0], nil)
	if err != nil {
		return "", fmt.Errorf("read version of source %s: %w", id, err)
	}
	if about[0] == "" {
		return "", fmt.Errorf("source %s: %w", id, feed.ErrNotFound)
	}
	ids, err := redis.Strings(replies[1], nil)
	if err != nil {
		return "", fmt.Errorf("read version of source %s: %w", id, err)
	}
	digests, err := s.db.Pipeline(ctx, "sources", func(b *core.Batch) {
		for _, ref := range entry.Refs(url, ids...) {
			s.Entries.AskVersion(b, ref)
		}
	})
	if err != nil {
		return "", fmt.Errorf("read version of source %s: %w", id, err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q", about, ids, digests)
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:16]), nil
}
