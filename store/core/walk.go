package core

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/route"
)

// WalkBatch bounds how many keys Walk passes at a time, and how many one SCAN examines.
const WalkBatch = 200

// Walk calls do with all keys of the installation except the mark of a closed store, a few at a time. A key may come twice.
func (db *DB) Walk(ctx context.Context, do func(keys []string) error) error {
	masters, err := db.masters(ctx)
	if err != nil {
		return err
	}
	for _, m := range masters {
		if err := db.walkAt(ctx, m, do); err != nil {
			return err
		}
	}
	after, err := db.masters(ctx)
	if err == nil && !slices.Equal(masters, after) {
		err = errors.New("slots of the cluster moved to another node meanwhile, so keys may have been missed; run it again")
	}
	return err
}

// Name returns a key without prefix and tag.
func (l *Layout) Name(key string) string {
	place, _ := l.place(key)
	return key[len(place):]
}

// masters returns the servers that hold the keys.
func (db *DB) masters(ctx context.Context) (all []route.Master, err error) {
	cluster, ok := db.pool.(*route.Cluster)
	if !ok {
		return []route.Master{{Pool: db.pool}}, nil
	}
	_, err = db.try(ctx, "masters", func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, db.Options().Timeout)
		defer cancel()
		all, err = cluster.Masters(ctx)
		return nil, err
	})
	return all, err
}

// walkAt walks over the keys of one server.
func (db *DB) walkAt(ctx context.Context, m route.Master, do func(keys []string) error) error {
	for cursor := "0"; ; {
		page, err := redis.Values(db.withRetry(ctx, "scan", func() (any, error) {
			return db.lend(ctx, m, func(c redis.Conn) (any, error) {
				return c.Do("SCAN", cursor, "COUNT", WalkBatch, "MATCH", globEscape(db.prefix)+"*")
			})
		}))
		var keys []string
		if err == nil {
			_, err = redis.Scan(page, &cursor, &keys)
		}
		if err != nil {
			return fmt.Errorf("list keys: %w", err)
		}
		keys = slices.DeleteFunc(keys, func(key string) bool { return !db.Contains(key) || key == db.ClosedKey() })
		for some := range slices.Chunk(keys, WalkBatch) {
			if err := do(some); err != nil {
				return err
			}
		}
		if cursor == "0" {
			return nil
		}
	}
}

// globSpecial are the characters that have a meaning in a pattern.
var globSpecial = regexp.MustCompile(`[\\*?\[\]^-]`)

// globEscape returns a pattern that matches nothing but the text.
func globEscape(text string) string { return globSpecial.ReplaceAllString(text, `\$0`) }
