package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/route"
)

// WalkBatch bounds how many keys Walk passes at a time.
const WalkBatch = 100

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

// Name is a key without prefix and tag.
func (l *Layout) Name(key string) string {
	place, _ := l.place(key)
	return key[len(place):]
}

// masters are the servers that hold the keys.
func (db *DB) masters(ctx context.Context) (all []route.Master, err error) {
	cluster, ok := db.pool.(*route.Cluster)
	if !ok {
		return []route.Master{{Pool: db.pool}}, nil
	}
	_, err = db.once(ctx, "masters", func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, db.opts.Timeout)
		defer cancel()
		all, err = cluster.Masters(ctx)
		return nil, err
	})
	return all, err
}

// walkAt walks over the keys of one server.
func (db *DB) walkAt(ctx context.Context, m route.Master, do func(keys []string) error) error {
	for cursor := "0"; ; {
		var names [][]byte
		_, err := db.withRetry(ctx, "scan", func() (any, error) {
			return db.lend(ctx, m, func(c redis.Conn) (any, error) {
				next, found, err := Scan(c, cursor, db.prefix)
				if err == nil {
					cursor, names = next, found
				}
				return nil, err
			})
		})
		if err != nil {
			return err
		}
		var keys []string
		for _, name := range names {
			key := string(name)
			if db.Contains(key) && key != db.ClosedKey() {
				keys = append(keys, key)
			}
		}
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

// scanCount is how many keys one SCAN looks at.
const scanCount = 200

// Scan reads the next names that begin with a prefix. A cursor of "0" begins, and ends.
func Scan(c redis.Conn, cursor, prefix string) (next string, names [][]byte, err error) {
	args := []any{cursor, "COUNT", scanCount}
	if prefix != "" {
		args = append(args, "MATCH", globEscape(prefix)+"*")
	}
	reply, err := redis.Values(c.Do("SCAN", args...))
	if err == nil {
		_, err = redis.Scan(reply, &next, &names)
	}
	if err != nil {
		return "", nil, fmt.Errorf("list keys: %w", err)
	}
	return next, names, nil
}

// globEscape returns a pattern that matches nothing but the text.
func globEscape(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if strings.IndexByte(`\*?[]^-`, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
