package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// copying is one run of a copy. In the same layout each key has its name on both sides. Between the layouts most keys go as
// they are to the place where they belong, and those that the parts divide among themselves are written anew.
type copying struct {
	Migration
	from, to *Store
	anew     *rewriting // nil in the same layout
	outboxes bool       // the parts here have such, and there are none there
	done     int        // of twice Keys
	progress func(done, total int)
}

// step is a key here, and what it is there.
type step struct{ key, there string }

func newCopying(from, to *Store, progress func(done, total int)) *copying {
	c := &copying{from: from, to: to, progress: progress}
	if from.keys.partitioned() != to.keys.partitioned() {
		c.anew, c.outboxes = newRewriting(from, to), from.keys.partitioned()
	}
	return c
}

// walk calls do with all keys that go as they are, a few at a time, and notes the others. It fails with a key that the layout
// does not know.
func (c *copying) walk(ctx context.Context, do func([]step) error) error {
	return c.from.walk(ctx, func(keys []string) error {
		steps, err := c.steps(ctx, keys)
		if err != nil {
			return err
		}
		return do(steps)
	})
}

func (c *copying) steps(ctx context.Context, keys []string) (steps []step, err error) {
	if c.anew == nil {
		for _, key := range keys {
			steps = append(steps, step{key, c.to.keys.prefix + strings.TrimPrefix(key, c.from.keys.prefix)})
		}
		return steps, nil
	}
	all, err := c.from.identify(ctx, keys)
	for _, k := range all {
		if !c.anew.note(&k) {
			steps = append(steps, step{k.key, c.to.keys.homes(&k)[0] + k.name})
		}
	}
	return steps, err
}

// count counts what is to be copied.
func (c *copying) count(ctx context.Context) error {
	if err := c.walk(ctx, func(steps []step) error {
		c.Keys += len(steps)
		return nil
	}); err != nil {
		return fmt.Errorf("count keys: %w", err)
	}
	c.Keys += c.anew.count()
	return nil
}

// gather moves what was left in outboxes to where it is copied from.
func (c *copying) gather(ctx context.Context) error {
	if !c.outboxes {
		return nil
	}
	if err := c.from.lookIntoAll(ctx); err != nil {
		return fmt.Errorf("gather signals: %w", err)
	}
	return nil
}

// run copies what was counted, and compares it.
func (c *copying) run(ctx context.Context) error {
	if err := c.walk(ctx, func(steps []step) error {
		copied, err := c.copyMissing(ctx, steps)
		c.Copied += copied
		c.tell(len(steps))
		return err
	}); err != nil {
		return fmt.Errorf("copy keys: %w", err)
	}
	copied, err := c.anew.copy(ctx)
	c.Copied += copied
	c.tell(copied)
	if err != nil {
		return fmt.Errorf("copy keys: %w", err)
	}
	if err := c.walk(ctx, func(steps []step) error {
		same, expired, err := c.same(ctx, steps)
		c.Same += same
		c.Expired += expired
		c.tell(len(steps))
		return err
	}); err != nil {
		return fmt.Errorf("compare keys: %w", err)
	}
	same, expired, err := c.anew.compare(ctx)
	c.Same += same
	c.Expired += expired
	c.tell(same + expired)
	if err != nil {
		return fmt.Errorf("compare keys: %w", err)
	}
	if c.outboxes {
		if err := c.from.isGathered(ctx); err != nil {
			return err
		}
	}
	if err := c.to.walk(ctx, func(keys []string) error { return c.knows(ctx, keys) }); err != nil {
		return fmt.Errorf("look for other keys: %w", err)
	}
	return nil
}

// tell tells of progress.
func (c *copying) tell(keys int) {
	c.done = min(c.done+keys, 2*c.Keys)
	c.progress(c.done, 2*c.Keys)
}

// knows makes sure that each of the keys of the copy comes from a key here, but for what has expired since.
func (c *copying) knows(ctx context.Context, keys []string) error {
	from := make([]string, len(keys)) // "", which no key is: it was written anew
	if c.anew == nil {
		for i, key := range keys {
			from[i] = c.from.keys.prefix + strings.TrimPrefix(key, c.to.keys.prefix)
		}
	} else {
		all, err := c.to.identify(ctx, keys)
		if err != nil {
			return err
		}
		for i, k := range all {
			if !c.to.keys.apart(&k) {
				from[i] = c.from.keys.homes(&k)[0] + k.name
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
		if written := from[i] == "" && c.anew.written[key]; ours[i] == 0 && !written && left[i] == -1 {
			return fmt.Errorf("%w: the copy has the key %s, which this store does not have: empty it, and begin anew", feed.ErrConflict, key)
		}
	}
	return nil
}

// copyMissing copies those of the keys that are not there yet. A key is there as a whole or not at all.
func (c *copying) copyMissing(ctx context.Context, steps []step) (int, error) {
	there, err := redis.Ints(c.to.each(ctx, ends(steps), "EXISTS"))
	if err != nil {
		return 0, err
	}
	var missing []step
	for i, st := range steps {
		if there[i] == 0 {
			missing = append(missing, st)
		}
	}
	return len(missing), c.copyKeys(ctx, missing)
}

// begins and ends are the keys of steps on either side.
func begins(steps []step) []string {
	all := make([]string, len(steps))
	for i, st := range steps {
		all[i] = st.key
	}
	return all
}

func ends(steps []step) []string {
	all := make([]string, len(steps))
	for i, st := range steps {
		all[i] = st.there
	}
	return all
}

func (c *copying) copyKeys(ctx context.Context, steps []step) error {
	dumps, err := c.from.each(ctx, begins(steps), "DUMP")
	if err != nil {
		return err
	}
	left, err := redis.Int64s(c.from.each(ctx, begins(steps), "PTTL"))
	if err != nil {
		return err
	}
	_, err = c.to.pipeline(ctx, "migrate", func(b *batch) {
		for i, st := range steps {
			if dumps[i] != nil && left[i] != -2 { // else it expired just now
				b.add("RESTORE", st.there, max(0, left[i]), dumps[i], "REPLACE")
			}
		}
	})
	if err != nil && strings.Contains(err.Error(), "DUMP payload version") {
		return fmt.Errorf("the Redis to copy to is older than this one and cannot read its values: %w", err)
	}
	return err
}

// same reads keys on both sides. What differs, because the store was changed between two runs, is copied again.
func (c *copying) same(ctx context.Context, steps []step) (same, expired int, err error) {
	for again := true; ; again = false {
		ours, err := c.from.sums(ctx, begins(steps))
		if err != nil {
			return 0, 0, err
		}
		theirs, err := c.to.sums(ctx, ends(steps))
		if err != nil {
			return 0, 0, err
		}
		var differ []step
		same, expired = 0, 0
		for i, st := range steps {
			switch ours[i] {
			case "": // it has a TTL, and may be gone there a moment later
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
	return fmt.Errorf("%w: %s differs after it was copied; does a daemon work on it?", feed.ErrConflict, key)
}
