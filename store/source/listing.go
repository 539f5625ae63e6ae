package source

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// listingFields are the fields that a list shows.
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
		var b core.Batch
		s.AskListing(&b, some)
		replies, err := s.db.Exchange(ctx, group, &b)
		if err != nil {
			return nil, fmt.Errorf("list sources: %w", err)
		}
		r := core.Replies(replies)
		listed, err := s.ReadListing(some, &r)
		if err != nil {
			return nil, err
		}
		all = append(all, listed...)
	}
	return all, nil
}

// AskListing adds the commands that read what a list shows of sources.
func (s *Store) AskListing(b *core.Batch, urls []string) {
	names := listingFields()
	for _, url := range urls {
		b.Add("HMGET", append([]any{s.of(url).meta()}, names...)...)
	}
}

// ReadListing takes the replies to the commands of AskListing. It leaves out sources that do not exist.
func (s *Store) ReadListing(urls []string, r *core.Replies) ([]feed.Source, error) {
	names := listingFields()
	added := slices.Index(names, any("added"))
	fields := make(map[string]string, len(names)) // reused
	var all []feed.Source
	for _, url := range urls {
		values, err := redis.Values(r.Next(), nil)
		if err != nil {
			return nil, fmt.Errorf("list source %s: %w", url, err)
		}
		if values[added] == nil {
			continue
		}
		clear(fields)
		for i, value := range values {
			if text, ok := value.([]byte); ok {
				fields[names[i].(string)] = string(text)
			}
		}
		all = append(all, fromMeta(url, fields))
	}
	return all, nil
}
