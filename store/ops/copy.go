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

// pairs are keys of the source, and their names at the destination at the same index.
type pairs struct{ from, to []string }

func (p *pairs) add(from, to string) {
	p.from, p.to = append(p.from, from), append(p.to, to)
}

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

// pass calls plain with the keys that are copied unchanged, and then rewritten with the names of the others, both in batches. It
// fails if a key has no family.
func (c *copying) pass(ctx context.Context, what string, plain func(pairs) error, rewritten func(names []string) error) error {
	err := c.from.db.Walk(ctx, func(keys []string) error {
		names, err := c.counterparts(ctx, c.from.db, c.to.db, keys, c.rewrite.add)
		if err != nil {
			return err
		}
		var p pairs
		for i, name := range names {
			if name != "" {
				p.add(keys[i], name)
			}
		}
		return plain(p)
	})
	if err == nil {
		err = c.rewrite.each(ctx, rewritten)
	}
	return core.Wrap(err, "%s keys", what)
}

// count counts the keys to copy.
func (c *copying) count(ctx context.Context) error {
	return c.pass(ctx, "count", func(p pairs) error {
		c.Keys += len(p.from)
		return nil
	}, func(names []string) error {
		c.Keys += c.rewrite.count(names)
		return nil
	})
}

// run copies all keys and compares both sides.
func (c *copying) run(ctx context.Context) error {
	if err := c.pass(ctx, "copy", func(p pairs) error { return c.copyMissing(ctx, p) }, func(names []string) error {
		wanted, found, err := c.rewrite.wanted(ctx, names)
		if err == nil {
			err = c.rewrite.write(ctx, wanted)
		}
		c.Copied += found
		c.report(found)
		return err
	}); err != nil {
		return err
	}
	if err := c.pass(ctx, "compare", func(p pairs) error {
		return c.compare(ctx, len(p.from), func() (map[string]content, int, error) { return c.wanted(ctx, p) },
			func(differ map[string]content) error { return c.copyAgain(ctx, p, differ) })
	}, func(names []string) error {
		return c.compare(ctx, c.rewrite.count(names), func() (map[string]content, int, error) { return c.rewrite.wanted(ctx, names) },
			func(differ map[string]content) error { return c.rewrite.write(ctx, differ) })
	}); err != nil {
		return err
	}
	if !c.sameLayout() {
		if err := c.from.db.CheckMerged(ctx); err != nil {
			return err
		}
	}
	return core.Wrap(c.to.db.Walk(ctx, func(keys []string) error { return c.checkOrigin(ctx, keys) }), "check for other keys")
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
		if written := from[i] == "" && c.rewrite.written[key]; ours[i] == 0 && !written && left[i] == -1 {
			return fmt.Errorf("%w: the destination has the key %s, which the source does not have; empty the destination, and start again", feed.ErrConflict, key)
		}
	}
	return nil
}

// copyMissing copies the keys that the destination does not have.
func (c *copying) copyMissing(ctx context.Context, p pairs) error {
	found, err := redis.Ints(each(ctx, c.to.db, p.to, "EXISTS"))
	if err != nil {
		return err
	}
	var missing pairs
	for i, key := range p.from {
		if found[i] == 0 {
			missing.add(key, p.to[i])
		}
	}
	err = c.copyKeys(ctx, missing)
	c.Copied += len(missing.from)
	c.report(len(p.from))
	return err
}

func (c *copying) copyKeys(ctx context.Context, p pairs) error {
	l := &loader{db: c.to.db}
	err := dump(ctx, c.from.db, p.from, func(i int, d dumped) error {
		d.key = p.to[i]
		return l.add(ctx, d)
	})
	if err == nil {
		err = l.flush(ctx)
	}
	if err != nil && strings.Contains(err.Error(), "DUMP payload version") {
		return fmt.Errorf("the Redis of the destination is too old to read the values: %w; use a newer Redis", err)
	}
	return err
}

// wanted is the content that the destination must have for keys that are copied unchanged, by key, and the number of keys. Expired
// keys are left out: the destination may still have them.
func (c *copying) wanted(ctx context.Context, p pairs) (wanted map[string]content, found int, err error) {
	ours, err := c.from.contents(ctx, p.from)
	wanted = make(map[string]content, len(ours))
	for i, content := range ours {
		if content.typ != "none" {
			wanted[p.to[i]] = content
		}
	}
	return wanted, len(wanted), err
}

// copyAgain copies those of the keys that differ.
func (c *copying) copyAgain(ctx context.Context, p pairs, differ map[string]content) error {
	var again pairs
	for i, to := range p.to {
		if _, found := differ[to]; found {
			again.add(p.from[i], to)
		}
	}
	return c.copyKeys(ctx, again)
}

// compare compares keys of the destination with the wanted content, writes what differs, because it changed between two runs, and
// compares once more. It counts keys of the source.
func (c *copying) compare(
	ctx context.Context, keys int, wanted func() (map[string]content, int, error), write func(differ map[string]content) error,
) error {
	for written := false; ; written = true {
		differ, found, err := wanted()
		if err != nil {
			return err
		}
		names := slices.Collect(maps.Keys(differ))
		there, err := c.to.contents(ctx, names)
		if err != nil {
			return err
		}
		for i, got := range there {
			if want := differ[names[i]]; got.typ == want.typ && maps.Equal(got.rows, want.rows) {
				delete(differ, names[i])
			}
		}
		switch {
		case len(differ) == 0:
			c.Same += found
			c.report(keys)
			return nil
		case written:
			return fmt.Errorf("%w: %s differs after it was copied; stop all daemons, and try again", feed.ErrConflict, slices.Min(slices.Collect(maps.Keys(differ))))
		}
		if err := write(differ); err != nil {
			return err
		}
	}
}
