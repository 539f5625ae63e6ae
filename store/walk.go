package store

import (
	"context"
	"errors"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/route"
)

// walkAtOnce bounds how many keys a walk hands out at a time.
const walkAtOnce = 100

// walk calls do with all keys of the installation but the mark of a closed store, a few at a time. A key may come twice.
func (s *Store) walk(ctx context.Context, do func(keys []string) error) error {
	masters, err := s.masters(ctx)
	if err != nil {
		return err
	}
	for _, m := range masters {
		if err := s.walkAt(ctx, m, do); err != nil {
			return err
		}
	}
	after, err := s.masters(ctx)
	if err == nil && !slices.Equal(masters, after) {
		err = errors.New("slots of the cluster went to another node meanwhile, and keys may have been missed with them: do it again")
	}
	return err
}

// masters are the servers that have the keys.
func (s *Store) masters(ctx context.Context) (all []route.Master, err error) {
	cluster, ok := s.pool.(*route.Cluster)
	if !ok {
		return []route.Master{{Pool: s.pool}}, nil
	}
	_, err = s.once("masters", func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
		defer cancel()
		all, err = cluster.Masters(ctx)
		return nil, err
	})
	return all, err
}

// walkAt walks over the keys of one server.
func (s *Store) walkAt(ctx context.Context, m route.Master, do func(keys []string) error) error {
	for cursor := "0"; ; {
		reply, err := s.twice(ctx, "scan", func() (any, error) {
			return s.tryAt(ctx, m, func(c redis.Conn) (any, error) {
				next, names, err := scan(c, cursor, s.keys.prefix)
				return []any{next, names}, err
			})
		})
		if err != nil {
			return err
		}
		cursor = reply.([]any)[0].(string)
		var keys []string
		for _, name := range reply.([]any)[1].([][]byte) {
			key := string(name)
			if _, own := s.keys.placeOf(key); own && key != s.keys.closed() {
				keys = append(keys, key)
			}
		}
		for some := range slices.Chunk(keys, walkAtOnce) {
			if err := do(some); err != nil {
				return err
			}
		}
		if cursor == "0" {
			return nil
		}
	}
}
