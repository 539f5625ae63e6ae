package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// quiet is how long no daemon may have read signals from a store that is copied. Each asks for them every second.
const quiet = 5 * time.Second

// Migration is how far a copy is.
type Migration struct {
	Keys    int // that the store has
	Copied  int // in this run
	Same    int // of those, and of earlier runs, that were read again on both sides and are the same
	Expired int // that were there when the copy began and no more in the end
}

// CopyTo copies everything to another store, which has to be empty, in another Redis, under another prefix or in another
// layout, with what is left of each TTL. No daemon may work on either: this store is closed meanwhile, and one that is at
// work or was in the meantime is noticed (feed.ErrConflict). After an interruption the same call goes on; until it has
// compared all keys on both sides Check refuses the copy. With dry it only counts. Progress is told of each step, of twice
// as many as there are keys.
func (s *Store) CopyTo(ctx context.Context, to *Store, dry bool, progress func(done, total int)) (Migration, error) {
	c := newCopying(s, to, progress)
	if err := s.isQuiet(ctx, quiet); err != nil {
		return c.Migration, err
	}
	if dry {
		err := c.count(ctx)
		if err == nil {
			_, err = to.isFree(ctx, s)
		}
		return c.Migration, err
	}
	begun := time.Now()
	if err := s.whileClosed(ctx, func(ctx context.Context) error {
		mark, err := to.isFree(ctx, s)
		if err != nil {
			return err
		}
		if err := c.gather(ctx); err != nil {
			return err
		}
		if err := c.count(ctx); err != nil {
			return err
		}
		if _, err := to.do(ctx, "SET", to.keys.closed(), mark); err != nil {
			return fmt.Errorf("begin to copy: %w", err)
		}
		if err := s.isElsewhere(ctx, to, mark); err != nil {
			return err
		}
		if err := c.run(ctx); err != nil {
			return err
		}
		return s.isQuiet(ctx, quiet+time.Since(begun))
	}); err != nil {
		return c.Migration, err
	}
	_, err := to.do(ctx, "DEL", to.keys.closed())
	return c.Migration, err
}

// isQuiet makes sure that no daemon has read signals for so long.
func (s *Store) isQuiet(ctx context.Context, d time.Duration) error {
	groups, err := redis.Values(s.do(ctx, "XINFO", "GROUPS", s.keys.signals()))
	if err != nil && strings.Contains(err.Error(), "no such key") {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for daemons: %w", err)
	}
	for _, g := range groups {
		fields, err := redis.Values(g, err)
		if err != nil || len(fields) < 2 {
			return fmt.Errorf("XINFO GROUPS answered %v, %w", g, err)
		}
		consumers, err := redis.Values(s.do(ctx, "XINFO", "CONSUMERS", s.keys.signals(), fields[1]))
		if err != nil {
			return fmt.Errorf("look for daemons: %w", err)
		}
		for _, reply := range consumers {
			var name string
			var pending, idle int64
			if pairs, _ := redis.Values(reply, nil); len(pairs) >= 6 {
				_, err = redis.Scan([]any{pairs[1], pairs[3], pairs[5]}, &name, &pending, &idle)
			}
			if err != nil {
				return fmt.Errorf("look for daemons: %w", err)
			}
			if since := time.Duration(idle) * time.Millisecond; since < d {
				return fmt.Errorf("%w: the daemon %s was at work here %v ago; stop it, wait for %v, and try again",
					feed.ErrConflict, name, since.Round(time.Millisecond), quiet)
			}
		}
	}
	return nil
}

// isFree makes sure that a store is empty, or an unfinished copy of another one, and gives the mark that such a copy has.
func (s *Store) isFree(ctx context.Context, from *Store) (mark string, err error) {
	id, err := redis.String(from.do(ctx, "GET", from.keys.installation()))
	if err != nil && !errors.Is(err, redis.ErrNil) {
		return "", err
	}
	mark = markCopy + " " + id
	there, err := redis.String(s.do(ctx, "GET", s.keys.closed()))
	if err == nil && there == mark {
		return mark, nil
	}
	if err != nil && !errors.Is(err, redis.ErrNil) {
		return "", err
	}
	if there != "" {
		return "", fmt.Errorf("%w: the store to copy to holds a part of something else (%s is %q); empty it, or choose another prefix",
			feed.ErrConflict, s.keys.closed(), there)
	}
	return mark, s.walk(ctx, func(keys []string) error {
		return fmt.Errorf("%w: the store to copy to is not empty, it has the key %s; empty it, or choose another prefix",
			feed.ErrConflict, keys[0])
	})
}

// isElsewhere makes sure that a copy, which has just got its mark, does not become a part of this store.
func (s *Store) isElsewhere(ctx context.Context, to *Store, mark string) error {
	if _, own := s.keys.placeOf(to.keys.closed()); !own {
		return nil
	}
	seen, err := redis.String(s.do(ctx, "GET", to.keys.closed()))
	if errors.Is(err, redis.ErrNil) || err == nil && seen != mark {
		return nil
	}
	if err == nil {
		_, err = to.do(ctx, "DEL", to.keys.closed())
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: keys that begin with %q belong to the store that is copied, whose prefix is %q; choose another database, or another prefix",
		feed.ErrConflict, to.opts.Prefix, s.opts.Prefix)
}
