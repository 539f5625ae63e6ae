package store

import (
	"context"
	"fmt"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Counts says how much of each thing there is: sources by state, articles by state in each of the given feeds.
func (s *Store) Counts(ctx context.Context, types []string) (feed.Counts, error) {
	return s.CountsAndSources(ctx, types, func(*feed.Source) {})
}

// CountsAndSources is Counts, and shows each source on the way to look: they are read only once, and not all at a time.
func (s *Store) CountsAndSources(
	ctx context.Context, types []string, look func(*feed.Source),
) (feed.Counts, error) {
	c := feed.Counts{
		Sources: make(map[feed.SourceState]int), Articles: make(map[string]map[feed.State]int, len(types)),
	}
	var urls []string
	if err := s.eachSource(ctx, func(src *feed.Source) {
		urls = append(urls, src.URL)
		c.Sources[src.State()]++
		look(src)
	}); err != nil {
		return feed.Counts{}, err
	}
	states := feed.States()[1:] // known articles are the rest
	replies, err := s.pipeline(ctx, "counts", func(b *batch) {
		b.add("XLEN", s.keys.signals())
		b.add("ZCARD", s.keys.articles())
		for _, typ := range types {
			for _, state := range states {
				b.add("ZCARD", s.keys.placed(state, typ))
			}
		}
		for _, url := range urls {
			b.add("ZCARD", s.keys.of(url).sort(url))
		}
	})
	if err != nil {
		return feed.Counts{}, fmt.Errorf("count: %w", err)
	}
	n, err := redis.Ints(replies, nil)
	if err != nil {
		return feed.Counts{}, fmt.Errorf("count: %w", err)
	}
	c.Signals = n[0]
	articles, n := n[1], n[2:]
	for _, typ := range types {
		placed, known := make(map[feed.State]int, len(states)+1), articles
		for i, state := range states {
			placed[state] = n[i]
			known -= n[i]
		}
		placed[feed.StateKnown] = max(0, known) // an imported article that is published again stands in two sets
		c.Articles[typ], n = placed, n[len(states):]
	}
	for _, entries := range n {
		c.Entries += entries
	}
	return c, nil
}
