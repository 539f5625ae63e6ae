package source

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// listingFields returns the fields that a list shows.
func listingFields() []any {
	return []any{
		"title", "feeds", "publish", "interval", "paused", "added", "entries", "last_poll", "next_poll", "next_reason", "errors",
		"error_class", "error_text", "gone", "failing_since", "categories", "edition",
	}
}

// listingSize limits the sources of one exchange of ListSources.
const listingSize = 5000

// ListSources returns all sources by URL, with the fields that a list shows. It takes two exchanges for up to listingSize sources.
func (s *Store) ListSources(ctx context.Context) ([]feed.Source, error) {
	urls, err := s.sortedURLs(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]feed.Source, 0, len(urls))
	for some := range slices.Chunk(urls, listingSize) {
		listed, err := s.listing(ctx, some)
		if err != nil {
			return nil, err
		}
		all = append(all, listed...)
	}
	return all, nil
}

// listing reads what a list shows of sources. It leaves out sources that do not exist.
func (s *Store) listing(ctx context.Context, urls []string) (all []feed.Source, err error) {
	if len(urls) == 0 {
		return nil, nil
	}
	names := listingFields()
	var b core.Batch
	for _, url := range urls {
		b.Add("HMGET", append([]any{s.of(url).meta()}, names...)...)
	}
	replies, err := s.db.Exchange(ctx, group, &b)
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	added := slices.Index(names, any("added"))
	fields := make(map[string]string, len(names)) // reused
	for i, url := range urls {
		values, err := redis.Values(replies[i], nil)
		if err != nil {
			return nil, fmt.Errorf("list source %s: %w", url, err)
		}
		if values[added] == nil {
			continue
		}
		clear(fields)
		for j, value := range values {
			if text, ok := value.([]byte); ok {
				fields[names[j].(string)] = string(text)
			}
		}
		all = append(all, sourceFrom(url, fields))
	}
	return all, nil
}
