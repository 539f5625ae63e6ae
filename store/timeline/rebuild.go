package timeline

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// rebuildLimit is how long a cache that is being built is left to one process.
const rebuildLimit = 30 * time.Second

// rebuild builds the cache of a user from the truth, unless another process does.
func (s *Store) rebuild(ctx context.Context, user int64) error {
	k, token := s.of(user), rand.Text()
	cache := []any{k.cache(), k.warm()}
	begun, err := redis.Bool(s.db.Run(ctx, s.scripts["begin_rebuild"], cache, []any{token, seconds(rebuildLimit)}))
	if err != nil || !begun {
		return err
	}
	urls, err := redis.Strings(s.db.Do(ctx, group, "HKEYS", k.follows()))
	if err != nil {
		return err
	}
	pulled, err := s.pulled(ctx)
	if err != nil {
		return err
	}
	places, err := s.merge(ctx, slices.DeleteFunc(urls, func(url string) bool { return slices.Contains(pulled, url) }), feed.Cursor{}, cacheSize)
	if err != nil {
		return err
	}
	args := []any{token, cacheSize, seconds(cacheTTL), seconds(readyTTL), seconds(emptyTTL)}
	for _, p := range places {
		args = append(args, formatScore(p.Score), p.Member)
	}
	_, err = s.db.Run(ctx, s.scripts["finish_rebuild"], cache, args)
	if err == nil {
		s.rebuilt.Inc()
	}
	return err
}

// merge returns the places of the newest limit entries of sources after a cursor, newest first. It reads little more than that: first
// a few places of each source, which give a bound, then those of busy sources that are above the bound.
func (s *Store) merge(ctx context.Context, urls []string, after feed.Cursor, limit int) ([]feed.Cursor, error) {
	if len(urls) == 0 {
		return nil, nil
	}
	after.Member = entryPrefix + after.Member
	if after.Member == entryPrefix {
		after = feed.Cursor{}
	}
	few := (limit-1)/len(urls) + 3
	lists := make([][]feed.Cursor, len(urls))
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, url := range urls {
			s.entries.QueryPlaces(b, url, "-inf", after, few)
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range lists {
		lists[i] = r.Page(after)
	}
	all, bound := newestFirst(slices.Concat(lists...)), "-inf"
	if len(all) >= limit {
		bound = formatScore(all[limit-1].Score)
	}
	var busy [][]feed.Cursor
	r, err = s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for i, list := range lists {
			if len(list) >= few && (len(all) < limit || list[len(list)-1].Score >= all[limit-1].Score) {
				busy = append(busy, list)
				s.entries.QueryPlaces(b, urls[i], bound, list[len(list)-1], limit)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, list := range busy {
		all = append(all, r.Page(list[len(list)-1])...)
	}
	all = newestFirst(all)
	all = all[:min(limit, len(all))]
	for i := range all {
		all[i].Member = strings.TrimPrefix(all[i].Member, entryPrefix)
	}
	return all, nil
}
