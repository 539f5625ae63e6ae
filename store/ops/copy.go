package ops

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// copying is one run of a copy. In the same layout a key has the same name on both sides. Between layouts most keys are copied to
// their place in the other layout, and those that a layout splits are rewritten.
type copying struct {
	Migration
	from, to *Store
	rewrite  *rewriting // without keys in the same layout
	done     int        // of 2 × Keys
	progress func(done, total int)
}

// sameLayout reports whether all keys are copied unchanged.
func (c *copying) sameLayout() bool { return c.from.db.SameLayout(&c.to.db.Layout) }

// counterparts are the names in one store of keys in the other; "" for a key that must be rewritten.
func (c *copying) counterparts(ctx context.Context, of, in *core.DB, keys []string, rewritten func(*core.Located) bool) ([]string, error) {
	names := make([]string, len(keys))
	if c.sameLayout() {
		for i, key := range keys {
			names[i] = in.Prefix() + strings.TrimPrefix(key, of.Prefix())
		}
		return names, nil
	}
	all, err := of.Locate(ctx, keys)
	for i, k := range all {
		if !rewritten(&k) {
			names[i] = in.Places(&k)[0] + k.Name
		}
	}
	return names, err
}

// reader returns the content that the destination must have for some keys of the source, by key of the destination, and how many keys
// of the source exist.
type reader func() (wanted map[string]content, found int, err error)

// each calls do with the number of keys and their reader, in batches: those that are copied unchanged, and then the others by name. It
// fails if a key has no family.
func (c *copying) each(ctx context.Context, what string, do func(keys int, read reader) error) error {
	err := c.from.db.Walk(ctx, func(keys []string) error {
		names, err := c.counterparts(ctx, c.from.db, c.to.db, keys, c.rewrite.add)
		if err != nil {
			return err
		}
		var origins, unchanged []string
		for i, name := range names {
			if name != "" {
				origins, unchanged = append(origins, keys[i]), append(unchanged, name)
			}
		}
		return do(len(origins), func() (map[string]content, int, error) { return c.wanted(ctx, origins, unchanged) })
	})
	if err == nil {
		err = c.rewrite.each(ctx, func(names []string) error {
			return do(c.rewrite.count(names), func() (map[string]content, int, error) { return c.rewrite.wanted(ctx, names) })
		})
	}
	return core.Wrap(err, "%s keys", what)
}

// count counts the keys to copy.
func (c *copying) count(ctx context.Context) error {
	return c.each(ctx, "count", func(keys int, _ reader) error {
		c.Keys += keys
		return nil
	})
}

// run copies all keys and compares both sides.
func (c *copying) run(ctx context.Context) error {
	if err := c.each(ctx, "copy", func(keys int, read reader) error { return c.copyBatch(ctx, keys, read) }); err != nil {
		return err
	}
	if !c.sameLayout() {
		if err := c.from.db.CheckMerged(ctx); err != nil {
			return err
		}
	}
	return core.Wrap(c.to.db.Walk(ctx, func(keys []string) error { return c.checkOrigin(ctx, keys) }), "check for other keys")
}

// copyBatch writes what is missing at the destination, or has changed since an earlier run, and compares both sides afterwards. A key
// may expire meanwhile, so there is one more try.
func (c *copying) copyBatch(ctx context.Context, keys int, read reader) error {
	for look := 1; ; look++ {
		differ, found, err := read()
		if err != nil {
			return err
		}
		all := len(differ)
		missing, err := c.removeEqual(ctx, differ)
		switch {
		case err != nil:
			return err
		case len(differ) == 0:
		case look == 3:
			return fmt.Errorf("%w: %s differs after it was copied; stop all daemons, and try again", feed.ErrConflict, slices.Min(slices.Collect(maps.Keys(differ))))
		default:
			if err := c.write(ctx, differ); err != nil {
				return err
			}
		}
		if look == 1 {
			if missing == all { // a rewritten batch has another number of keys at the destination
				missing = found
			}
			c.Copied += missing
			c.report(keys)
		}
		if len(differ) == 0 {
			c.Same += found
			c.report(keys)
			return nil
		}
	}
}

// removeEqual removes what the destination has from the wanted content. It returns how many keys the destination does not have.
func (c *copying) removeEqual(ctx context.Context, wanted map[string]content) (missing int, err error) {
	names := slices.Collect(maps.Keys(wanted))
	there, err := c.to.contents(ctx, names)
	for i, got := range there {
		if got.typ == "none" {
			missing++
		}
		if want := wanted[names[i]]; got.typ == want.typ && maps.Equal(got.rows, want.rows) {
			delete(wanted, names[i])
		}
	}
	return missing, err
}

// report reports progress.
func (c *copying) report(keys int) {
	c.done = min(c.done+keys, 2*c.Keys)
	c.progress(c.done, 2*c.Keys)
}

// checkOrigin checks that every key of the destination comes from a key of the source, unless that has expired.
func (c *copying) checkOrigin(ctx context.Context, keys []string) error {
	from, err := c.counterparts(ctx, c.to.db, c.from.db, keys, c.to.db.Splits)
	if err != nil {
		return err
	}
	ours, err := redis.Ints(each(ctx, c.from.db, from, "EXISTS")) // "" is no key
	if err != nil {
		return err
	}
	left, err := redis.Int64s(each(ctx, c.to.db, keys, "PTTL"))
	if err != nil {
		return err
	}
	for i, key := range keys {
		if rewritten := from[i] == "" && c.rewrite.known[key]; ours[i] == 0 && !rewritten && left[i] == -1 {
			return fmt.Errorf("%w: the destination has the key %s, which the source does not have; empty the destination, and start again", feed.ErrConflict, key)
		}
	}
	return nil
}

// wanted is the content that the destination must have for keys that are copied unchanged. Expired keys are left out: the
// destination may still have them.
func (c *copying) wanted(ctx context.Context, origins, names []string) (wanted map[string]content, found int, err error) {
	ours, err := c.from.contents(ctx, origins)
	wanted = make(map[string]content, len(ours))
	for i, content := range ours {
		if content.typ != "none" {
			content.origin = origins[i]
			wanted[names[i]] = content
		}
	}
	return wanted, len(wanted), err
}

// write replaces keys of the destination.
func (c *copying) write(ctx context.Context, differ map[string]content) error {
	var names, origins []string
	for name, content := range differ {
		if content.origin != "" {
			names, origins = append(names, name), append(origins, content.origin)
		}
	}
	l := &loader{db: c.to.db}
	err := dump(ctx, c.from.db, origins, func(i int, d dumped) error {
		d.key = names[i]
		return l.add(ctx, d)
	})
	if err == nil {
		err = l.flush(ctx)
	}
	if err != nil && strings.Contains(err.Error(), "DUMP payload version") {
		return fmt.Errorf("the Redis of the destination is too old to read the values: %w; use a newer Redis", err)
	}
	if err != nil {
		return err
	}
	return c.rewrite.write(ctx, differ)
}
