package ops

import (
	"context"
	"fmt"
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
	rewrite  *rewriting // nil in the same layout
	done     int        // of 2 × Keys
	progress func(done, total int)
}

// step is a key of the source, and its name at the destination.
type step struct{ key, target string }

func newCopying(from, to *Store, progress func(done, total int)) *copying {
	c := &copying{from: from, to: to, progress: progress}
	if !from.db.SameLayout(&to.db.Layout) {
		c.rewrite = newRewriting(from, to)
	}
	return c
}

// walk calls do with all keys that are copied unchanged, in batches, and adds the others to rewrite. It fails if a key has no family.
func (c *copying) walk(ctx context.Context, do func([]step) error) error {
	return c.from.db.Walk(ctx, func(keys []string) error {
		steps, err := c.steps(ctx, keys)
		if err != nil {
			return err
		}
		return do(steps)
	})
}

func (c *copying) steps(ctx context.Context, keys []string) (steps []step, err error) {
	if c.rewrite == nil {
		for _, key := range keys {
			steps = append(steps, step{key, c.to.db.Prefix() + strings.TrimPrefix(key, c.from.db.Prefix())})
		}
		return steps, nil
	}
	all, err := c.from.db.Locate(ctx, c.from.families, keys)
	for _, k := range all {
		if !c.rewrite.add(&k) {
			steps = append(steps, step{k.Key, c.to.db.Places(&k)[0] + k.Name})
		}
	}
	return steps, err
}

// count counts the keys to copy.
func (c *copying) count(ctx context.Context) error {
	if err := c.walk(ctx, func(steps []step) error {
		c.Keys += len(steps)
		return nil
	}); err != nil {
		return fmt.Errorf("count keys: %w", err)
	}
	c.Keys += c.rewrite.count()
	return nil
}

// mergeOutboxes merges the outboxes of the source: the other layout has none.
func (c *copying) mergeOutboxes(ctx context.Context) error {
	if c.rewrite == nil {
		return nil
	}
	if err := c.from.db.MergeNow(ctx); err != nil {
		return fmt.Errorf("merge the outboxes: %w", err)
	}
	return nil
}

// run copies all keys and compares both sides.
func (c *copying) run(ctx context.Context) error {
	if err := c.walk(ctx, func(steps []step) error {
		copied, err := c.copyMissing(ctx, steps)
		c.Copied += copied
		c.report(len(steps))
		return err
	}); err != nil {
		return fmt.Errorf("copy keys: %w", err)
	}
	copied, err := c.rewrite.copy(ctx)
	c.Copied += copied
	c.report(copied)
	if err != nil {
		return fmt.Errorf("copy keys: %w", err)
	}
	if err := c.walk(ctx, func(steps []step) error {
		same, expired, err := c.same(ctx, steps)
		c.Same += same
		c.Expired += expired
		c.report(len(steps))
		return err
	}); err != nil {
		return fmt.Errorf("compare keys: %w", err)
	}
	same, expired, err := c.rewrite.compare(ctx)
	c.Same += same
	c.Expired += expired
	c.report(same + expired)
	if err != nil {
		return fmt.Errorf("compare keys: %w", err)
	}
	if c.rewrite != nil {
		if err := c.from.db.CheckMerged(ctx); err != nil {
			return err
		}
	}
	if err := c.to.db.Walk(ctx, func(keys []string) error { return c.checkOrigin(ctx, keys) }); err != nil {
		return fmt.Errorf("check for other keys: %w", err)
	}
	return nil
}

// report reports progress.
func (c *copying) report(keys int) {
	c.done = min(c.done+keys, 2*c.Keys)
	c.progress(c.done, 2*c.Keys)
}

// checkOrigin checks that every key of the destination comes from a key of the source, unless that has expired.
func (c *copying) checkOrigin(ctx context.Context, keys []string) error {
	from := make([]string, len(keys)) // "", which is no key: it was rewritten
	if c.rewrite == nil {
		for i, key := range keys {
			from[i] = c.from.db.Prefix() + strings.TrimPrefix(key, c.to.db.Prefix())
		}
	} else {
		all, err := c.to.db.Locate(ctx, c.from.families, keys)
		if err != nil {
			return err
		}
		for i, k := range all {
			if !c.to.db.Splits(&k) {
				from[i] = c.from.db.Places(&k)[0] + k.Name
			}
		}
	}
	ours, err := redis.Ints(c.from.each(ctx, from, "EXISTS"))
	if err != nil {
		return err
	}
	left, err := redis.Int64s(c.to.each(ctx, keys, "PTTL"))
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

// copyMissing copies the keys that the destination does not have. RESTORE writes a key completely or not at all.
func (c *copying) copyMissing(ctx context.Context, steps []step) (int, error) {
	found, err := redis.Ints(c.to.each(ctx, targets(steps), "EXISTS"))
	if err != nil {
		return 0, err
	}
	var missing []step
	for i, st := range steps {
		if found[i] == 0 {
			missing = append(missing, st)
		}
	}
	return len(missing), c.copyKeys(ctx, missing)
}

// origins and targets are the keys of steps on either side.
func origins(steps []step) []string {
	all := make([]string, len(steps))
	for i, st := range steps {
		all[i] = st.key
	}
	return all
}

func targets(steps []step) []string {
	all := make([]string, len(steps))
	for i, st := range steps {
		all[i] = st.target
	}
	return all
}

func (c *copying) copyKeys(ctx context.Context, steps []step) error {
	dumps, err := c.from.each(ctx, origins(steps), "DUMP")
	if err != nil {
		return err
	}
	left, err := redis.Int64s(c.from.each(ctx, origins(steps), "PTTL"))
	if err != nil {
		return err
	}
	_, err = c.to.db.Pipeline(ctx, group, func(b *core.Batch) {
		for i, st := range steps {
			if dumps[i] != nil && left[i] != -2 { // otherwise it has expired
				b.Add("RESTORE", st.target, max(0, left[i]), dumps[i], "REPLACE")
			}
		}
	})
	if err != nil && strings.Contains(err.Error(), "DUMP payload version") {
		return fmt.Errorf("the Redis of the destination is too old to read the values: %w; use a newer Redis", err)
	}
	return err
}

// same compares keys on both sides. Keys that differ, because they changed between two runs, are copied again.
func (c *copying) same(ctx context.Context, steps []step) (same, expired int, err error) {
	for again := true; ; again = false {
		ours, err := c.from.sums(ctx, origins(steps))
		if err != nil {
			return 0, 0, err
		}
		theirs, err := c.to.sums(ctx, targets(steps))
		if err != nil {
			return 0, 0, err
		}
		var differ []step
		same, expired = 0, 0
		for i, st := range steps {
			switch ours[i] {
			case "": // expired; the destination may still have it
				expired++
			case theirs[i]:
				same++
			default:
				differ = append(differ, st)
			}
		}
		if len(differ) == 0 {
			return same, expired, nil
		}
		if !again {
			return same, expired, differs(differ[0].key)
		}
		if err := c.copyKeys(ctx, differ); err != nil {
			return same, expired, err
		}
	}
}

func differs(key string) error {
	return fmt.Errorf("%w: %s differs after it was copied; stop all daemons, and try again", feed.ErrConflict, key)
}
