package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// listingFields are what a list for people shows of a source.
func listingFields() []any {
	return []any{
		"title", "feeds", "publish", "interval", "paused", "added", "entries", "last_poll", "next_poll", "next_reason", "errors",
		"error_class", "error_text", "gone", "failing_since", "categories", "edition",
	}
}

// listingAtOnce bounds how many sources are asked for in one exchange. Little is asked of each.
const listingAtOnce = 5000

// ListSources are all sources, by URL, with what a list shows of them and nothing else. It takes two exchanges up to
// listingAtOnce sources.
func (s *Store) ListSources(ctx context.Context) ([]feed.Source, error) {
	urls, err := s.sourceURLs(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]feed.Source, 0, len(urls))
	for part := range slices.Chunk(urls, listingAtOnce) {
		var b batch
		s.askListing(&b, part)
		replies, err := redis.Values(s.call(ctx, "sources", func(c redis.Conn) (any, error) { return exchange(c, b.commands) }))
		if err != nil {
			return nil, fmt.Errorf("list sources: %w", err)
		}
		if all, err = appendListing(all, part, replies); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *Store) askListing(b *batch, urls []string) {
	names := listingFields()
	for _, url := range urls {
		b.add("HMGET", append([]any{s.keys.of(url).meta(url)}, names...)...)
	}
}

// appendListing reads what askListing asked for; sources that were removed since are left out.
func appendListing(all []feed.Source, urls []string, replies []any) ([]feed.Source, error) {
	names := listingFields()
	added := slices.Index(names, any("added"))
	fields := make(map[string]string, len(names)) // one for all: there are many
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
		all = append(all, sourceFromMeta(url, fields))
	}
	return all, nil
}

// SourceWithEntries is a source by its id, with its last polls, and its newest entries without their content. Where the
// id was asked for before, it takes two exchanges. feed.ErrNotFound: there is none.
func (s *Store) SourceWithEntries(ctx context.Context, id string, limit int) (feed.Source, []feed.Entry, error) {
	url, known := s.topics.Load(id) // a topic that is a source has its id
	if !known {
		found, err := s.sourceURL(ctx, id)
		if err != nil {
			return feed.Source{}, nil, err
		}
		url = found
	}
	return s.sourceWithEntries(ctx, url.(string), limit)
}

func (s *Store) sourceWithEntries(ctx context.Context, url string, limit int) (feed.Source, []feed.Entry, error) {
	source, newest, err := s.sourceWithNewest(ctx, url, limit)
	if err != nil {
		return feed.Source{}, nil, err
	}
	entries, err := s.loadHeadlines(ctx, entriesOf(url, newest...))
	return source, entries, err
}

// sourceWithNewest is a source with its last polls, and which its newest entries are, in one exchange.
func (s *Store) sourceWithNewest(ctx context.Context, url string, limit int) (feed.Source, []string, error) {
	first, last := 0, limit-1
	if limit == 0 {
		first, last = 1, 0
	}
	p := s.keys.of(url)
	replies, err := s.pipeline(ctx, "sources", func(b *batch) {
		b.add("HGETALL", p.meta(url))
		b.add("HGETALL", p.push(url))
		b.add("LRANGE", p.polls(url), 0, feed.PollsKept-1)
		b.add("ZREVRANGE", p.sort(url), first, last)
	})
	if err != nil {
		return feed.Source{}, nil, fmt.Errorf("read source %s: %w", url, err)
	}
	hashes, lists := [2]map[string]string{}, [2][]string{}
	for i := range 2 {
		if hashes[i], err = redis.StringMap(replies[i], nil); err != nil {
			return feed.Source{}, nil, fmt.Errorf("read source %s: %w", url, err)
		}
		if lists[i], err = redis.Strings(replies[2+i], nil); err != nil {
			return feed.Source{}, nil, fmt.Errorf("read source %s: %w", url, err)
		}
	}
	if len(hashes[0]) == 0 {
		return feed.Source{}, nil, fmt.Errorf("source %s: %w", url, feed.ErrNotFound)
	}
	source := sourceFromMeta(url, hashes[0])
	if len(hashes[1]) > 0 {
		source.Push = callbackFrom(url, hashes[1]).Push
	}
	for _, line := range lists[0] {
		source.Polls = append(source.Polls, pollFromLine(line))
	}
	return source, lists[1], nil
}
