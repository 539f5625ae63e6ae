package store

import (
	"context"
	"fmt"

	"github.com/feedwire/feedwire/store/core"
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
	c := feed.Counts{Sources: make(map[feed.SourceState]int)}
	var urls []string
	if err := s.Sources.EachSource(ctx, func(src *feed.Source) {
		urls = append(urls, src.URL)
		c.Sources[src.State()]++
		look(src)
	}); err != nil {
		return feed.Counts{}, err
	}
	replies, err := s.db.Pipeline(ctx, "counts", func(b *core.Batch) {
		b.Add("XLEN", s.db.Signals())
		s.Articles.AskArticleCounts(b, types)
		for _, url := range urls {
			s.Entries.AskEntryCount(b, url)
		}
	})
	if err != nil {
		return feed.Counts{}, fmt.Errorf("count: %w", err)
	}
	r := core.Replies(replies)
	c.Signals = r.Count()
	c.Articles = s.Articles.ReadArticleCounts(&r, types)
	for range urls {
		c.Entries += r.Count()
	}
	return c, nil
}
