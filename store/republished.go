package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// SourceVersion changes whenever a feed of the newest limit entries of a source would: with the entries and with what the
// source says of itself, and with what it takes to fetch it. feed.ErrNotFound when there is no such source.
func (s *Store) SourceVersion(ctx context.Context, id string, limit int) (string, error) {
	url, err := s.sourceURL(ctx, id)
	if err != nil {
		return "", err
	}
	p := s.keys.of(url)
	replies, err := s.pipeline(ctx, "source_version", func(b *batch) {
		b.add("HMGET", p.meta(url), "added", "title", "description", "link", "language", "username", "password", "headers")
		b.add("ZREVRANGE", p.sort(url), 0, limit-1)
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
	digests, err := s.pipeline(ctx, "source_version", func(b *batch) {
		for _, entry := range ids {
			b.add("HMGET", p.entry(entry), "digest", "date_published", "date_updated")
		}
	})
	if err != nil {
		return "", fmt.Errorf("read version of source %s: %w", id, err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q", about, ids, digests)
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:16]), nil
}
