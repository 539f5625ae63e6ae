package source

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

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
		page, err := s.listing(ctx, some)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
	}
	return all, nil
}

// listing reads what a list shows of sources. It leaves out sources that do not exist.
func (s *Store) listing(ctx context.Context, urls []string) (all []feed.Source, err error) {
	if len(urls) == 0 {
		return nil, nil
	}
	command := append([]any{nil}, listed.Names()...)
	var b core.Batch
	b.ReturnDamage()
	for _, url := range urls {
		command[0] = s.of(url).meta()
		b.Add("HMGET", command...)
	}
	replies, err := s.db.Exchange(ctx, group, &b)
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	all = make([]feed.Source, len(urls))
	for n, url := range urls {
		all[n].ID, all[n].URL = feed.SourceID(url), url
		reply := replies.Next()
		if _, damaged := reply.(redis.Error); damaged {
			setDamaged(&all[n], damagedHash(s.of(url).meta()))
			continue
		}
		fields, err := redis.Strings(reply, nil)
		if err != nil {
			return nil, fmt.Errorf("list sources: %w", err)
		}
		listed.ReadList(fields, &all[n])
	}
	return slices.DeleteFunc(all, func(src feed.Source) bool { return src.Added.IsZero() && !isDamaged(&src) }), nil
}
