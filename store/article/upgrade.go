package article

import (
	"context"
	"errors"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Layout 1 called unpublished articles "known" and withdrawn articles "taken_back".
const withdrawnV1 = "taken_back_"

var stateNames = strings.NewReplacer(`"known"`, `"unpublished"`, `"taken_back"`, `"withdrawn"`)

// Upgrade rewrites the keys of layout 1 that contain names of states. It is safe to repeat.
func Upgrade(ctx context.Context, db *core.DB) error {
	return db.Walk(ctx, func(keys []string) (err error) {
		for i := 0; i < len(keys) && err == nil; i++ {
			err = upgrade(ctx, db, keys[i])
		}
		return err
	})
}

// upgrade rewrites a set of withdrawn articles, the result of a request, or an undo record. It leaves other keys alone.
func upgrade(ctx context.Context, db *core.DB, key string) error {
	name := db.Name(key)
	if typ, ok := strings.CutPrefix(name, withdrawnV1); ok {
		set := keys{db.Desk()}.placed(feed.StateWithdrawn, typ)
		_, err := db.Pipeline(ctx, "upgrade", func(b *core.Batch) {
			b.Add("ZUNIONSTORE", set, 2, set, key, "AGGREGATE", "MAX")
			b.Add("DEL", key)
		})
		return err
	}
	switch {
	case strings.HasPrefix(name, "request:"):
		result, err := redis.String(db.Do(ctx, "upgrade", "GET", key))
		if errors.Is(err, redis.ErrNil) {
			return nil // expired since the walk listed it
		}
		if err == nil {
			_, err = db.Do(ctx, "upgrade", "SET", key, stateNames.Replace(result), "XX", "KEEPTTL")
		}
		return err
	case strings.HasPrefix(name, "undo:"):
		records, err := redis.StringMap(db.Do(ctx, "upgrade", "HGETALL", key))
		for field, record := range records {
			if err == nil {
				_, err = db.Do(ctx, "upgrade", "HSET", key, field, stateNames.Replace(record))
			}
		}
		return err
	}
	return nil
}
