package timeline

import (
	"context"
	"crypto/rand"
	"slices"
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
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("HKEYS", k.follows())
		b.Add("SMEMBERS", s.pulledKey())
	})
	if err != nil {
		return err
	}
	urls, pulled := r.Texts(), r.Texts()
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
