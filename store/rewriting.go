package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// rewriting copies from one layout to the other what each part has for itself. All keys of a name are joined to what the
// seeds' layout has under it, and that is split among the places of the other store. A nil one has nothing to do.
type rewriting struct {
	from, to  *Store
	here      map[string]map[string]kept // by name and key
	lastEntry int64                      // the highest number of an entry
	tokens    map[string]string          // feed URL by token of a callback
	written   map[string]bool            // keys of the other store
}

func newRewriting(from, to *Store) *rewriting {
	return &rewriting{from: from, to: to, here: make(map[string]map[string]kept), written: make(map[string]bool)}
}

// note takes note of a key, and reports whether it does not go as it is.
func (r *rewriting) note(k *kept) bool {
	if n := k.entryNumber(); n > 0 {
		r.lastEntry = max(r.lastEntry, n)
		r.hereAs(entryIDs)
	}
	if !r.from.keys.apart(k) {
		return false
	}
	if k.home != hubAndParts && k.home != gathering { // which are empty when the outboxes are gathered
		r.hereAs(k.name)[k.key] = *k
	}
	return true
}

// hereAs are the keys of a name.
func (r *rewriting) hereAs(name string) map[string]kept {
	if r.here[name] == nil {
		r.here[name] = make(map[string]kept)
	}
	return r.here[name]
}

// count is how many keys are to be written anew.
func (r *rewriting) count() (n int) {
	if r == nil {
		return 0
	}
	for _, keys := range r.here {
		n += len(keys)
	}
	return n
}

// copy writes all that was noted, and returns how many keys here that is.
func (r *rewriting) copy(ctx context.Context) (copied int, err error) {
	err = r.each(ctx, func(names []string) error {
		wanted, count, err := r.wanted(ctx, names)
		copied += count
		if err != nil {
			return err
		}
		return r.write(ctx, wanted)
	})
	return copied, err
}

// compare compares both sides, and returns how many keys here are the same there, and how many have expired.
func (r *rewriting) compare(ctx context.Context) (same, expired int, err error) {
	err = r.each(ctx, func(names []string) error {
		count, err := r.same(ctx, names)
		same += count
		return err
	})
	return same, r.count() - same, err
}

// each calls do with the names that were noted, a few at a time.
func (r *rewriting) each(ctx context.Context, do func(names []string) error) error {
	if r == nil {
		return nil
	}
	tokens, err := r.from.contents(ctx, slices.Collect(maps.Keys(r.here["push:tokens"])))
	if err != nil {
		return err
	}
	r.tokens = make(map[string]string)
	for _, c := range tokens {
		maps.Copy(r.tokens, c.rows)
	}
	for names := range slices.Chunk(slices.Sorted(maps.Keys(r.here)), walkAtOnce) {
		if err := do(names); err != nil {
			return err
		}
	}
	return nil
}

// same compares the keys of some names, and writes them once more where they differ. It returns how many are there here.
func (r *rewriting) same(ctx context.Context, names []string) (int, error) {
	for again := true; ; again = false {
		wanted, count, err := r.wanted(ctx, names)
		if err != nil {
			return 0, err
		}
		keys := slices.Sorted(maps.Keys(wanted))
		got, err := r.to.contents(ctx, keys)
		if err != nil {
			return 0, err
		}
		for i, key := range keys {
			if want := wanted[key]; got[i].typ == want.typ && maps.Equal(got[i].rows, want.rows) {
				delete(wanted, key)
			}
		}
		if len(wanted) == 0 {
			return count, nil
		}
		if !again {
			return 0, differs(slices.Sorted(maps.Keys(wanted))[0])
		}
		if err := r.write(ctx, wanted); err != nil {
			return 0, err
		}
	}
}

// joined is what the seeds' layout has under a name.
type joined struct {
	kept // one of the keys that it comes from
	content
}

// wanted is what the other store is to hold under some names, by key, and of how many keys here that is made.
func (r *rewriting) wanted(ctx context.Context, names []string) (wanted map[string]content, count int, err error) {
	var all []kept
	for _, name := range names {
		all = slices.AppendSeq(all, maps.Values(r.here[name]))
	}
	keys := make([]string, len(all))
	for i, k := range all {
		keys[i] = k.key
	}
	read, err := r.from.contents(ctx, keys)
	if err != nil {
		return nil, 0, err
	}
	byName := make(map[string]*joined)
	if slices.Contains(names, entryIDs) {
		last := map[string]string{"": strconv.FormatInt(r.lastEntry, 10)}
		byName[entryIDs] = &joined{kept{name: entryIDs, home: numbered}, content{"string", last, -1}}
	}
	for i, k := range all {
		if read[i].typ == "none" { // it has expired
			continue
		}
		count++
		if byName[k.name] == nil {
			byName[k.name] = &joined{k, content{read[i].typ, make(map[string]string), -1}}
		}
		if err := r.join(byName[k.name], &k, &read[i]); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", k.key, err)
		}
	}
	wanted = make(map[string]content)
	for _, j := range byName {
		if err := r.split(j, wanted); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", j.name, err)
		}
	}
	return wanted, count, nil
}

// rowsAtOnce bounds how many fields or members are written by one command.
const rowsAtOnce = 500

// write puts keys in the place of what is there.
func (r *rewriting) write(ctx context.Context, wanted map[string]content) error {
	_, err := r.to.pipeline(ctx, "migrate", func(b *batch) {
		for key, c := range wanted {
			r.written[key] = true
			b.add("DEL", key)
			for rows := range slices.Chunk(slices.Sorted(maps.Keys(c.rows)), rowsAtOnce) {
				switch args := []any{key}; c.typ {
				case "string":
					b.add("SET", key, c.rows[""])
				case "zset":
					for _, row := range rows {
						args = append(args, c.rows[row], row)
					}
					b.add("ZADD", args...)
				default:
					for _, row := range rows {
						args = append(args, row, c.rows[row])
					}
					b.add("HSET", args...)
				}
			}
			if c.left > 0 {
				b.add("PEXPIRE", key, c.left)
			}
		}
	})
	return err
}
