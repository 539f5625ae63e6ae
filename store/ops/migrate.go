package ops

import (
	"context"
	"fmt"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// quiet is how long ago a daemon may have last read signals from a store that is copied. Daemons read every second.
const quiet = 5 * time.Second

// Migration counts the keys of a copy.
type Migration struct {
	Keys   int // of the source
	Copied int // in this run
	Same   int // read on both sides and equal
}

// CopyTo copies all keys with their remaining TTL to an empty store: on another Redis, under another prefix, or in another layout.
// This store is closed meanwhile. The same call continues an interrupted copy; Check refuses the copy until all keys were compared
// on both sides. If dry is set, keys are only counted. Progress is called after each batch of keys; every key counts twice.
// feed.ErrConflict: a daemon works on this store, or the other store is not empty.
func (s *Store) CopyTo(ctx context.Context, to *Store, dry bool, progress func(done, total int)) (Migration, error) {
	rewrite := &rewriting{from: s, to: to, found: make(map[string]map[string]core.Located), known: make(map[string]bool)}
	c := &copying{from: s, to: to, rewrite: rewrite, progress: progress}
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
		if !c.sameLayout() { // the other layout has no outboxes
			if err := s.db.MergeNow(ctx); err != nil {
				return fmt.Errorf("merge the outboxes: %w", err)
			}
		}
		if err := c.count(ctx); err != nil {
			return err
		}
		if _, err := to.db.Do(ctx, group, "SET", to.db.ClosedKey(), mark); err != nil {
			return fmt.Errorf("start to copy: %w", err)
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
	_, err := to.db.Do(ctx, group, "DEL", to.db.ClosedKey())
	return c.Migration, err
}

// isQuiet checks that no daemon has read signals for a time. feed.ErrConflict: a daemon has.
func (s *Store) isQuiet(ctx context.Context, d time.Duration) error {
	daemons, err := s.lastReads(ctx)
	for name, idle := range daemons {
		if idle < d {
			return fmt.Errorf("%w: the daemon %s used this store %v ago; stop it, wait %v, and try again", feed.ErrConflict, name, idle, quiet)
		}
	}
	return err
}

// isFree checks that a store is empty, or an incomplete copy of another store, and returns the mark of such a copy.
func (s *Store) isFree(ctx context.Context, from *Store) (mark string, err error) {
	id, err := core.OptionalString(from.db.Do(ctx, group, "GET", from.db.InstallationKey()))
	if err != nil {
		return "", err
	}
	mark = core.MarkCopy + " " + id
	there, err := core.OptionalString(s.db.Do(ctx, group, "GET", s.db.ClosedKey()))
	if err != nil || there == mark {
		return mark, err
	}
	if there != "" {
		return "", fmt.Errorf("%w: the destination is an incomplete copy or restore of another store (%s is %q); empty it, or use another prefix",
			feed.ErrConflict, s.db.ClosedKey(), there)
	}
	return mark, s.db.Walk(ctx, func(keys []string) error {
		return fmt.Errorf("%w: the destination is not empty, it has the key %s; empty it, or use another prefix",
			feed.ErrConflict, keys[0])
	})
}

// isElsewhere checks that a copy, which has its mark already, is not inside this store.
func (s *Store) isElsewhere(ctx context.Context, to *Store, mark string) error {
	if !s.db.Contains(to.db.ClosedKey()) {
		return nil
	}
	seen, err := core.OptionalString(s.db.Do(ctx, group, "GET", to.db.ClosedKey()))
	if err != nil || seen != mark {
		return err
	}
	if _, err := to.db.Do(ctx, group, "DEL", to.db.ClosedKey()); err != nil {
		return err
	}
	return fmt.Errorf("%w: keys that begin with %q belong to the source, whose prefix is %q; use another database, or another prefix",
		feed.ErrConflict, to.db.Prefix(), s.db.Prefix())
}
