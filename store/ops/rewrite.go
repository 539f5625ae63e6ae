package ops

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// entryIDs is the name of the counter of entries.
const entryIDs = "ids:Entry"

// rewriting copies keys whose content a layout splits among several places. All keys with a name are joined to the content that
// the default layout has in one key, and that is split among the places of the destination.
type rewriting struct {
	from, to  *Store
	found     map[string]map[string]core.Located // keys of the source by name and key
	lastEntry int64                              // highest number of an entry
	tokens    map[string]string                  // feed URL by token of a callback
	known     map[string]bool                    // keys of the destination that come from these
}

// add adds a key, and reports whether it must be rewritten.
func (r *rewriting) add(k *core.Located) bool {
	if n := k.EntryNumber(); n > 0 {
		r.lastEntry = max(r.lastEntry, n)
		r.named(entryIDs)
	}
	if !r.from.db.Splits(k) {
		return false
	}
	if k.Home != core.Outbox && k.Home != core.Cursors { // empty after the outboxes were merged
		r.named(k.Name)[k.Key] = *k
	}
	return true
}

// named are the keys of the source with a name.
func (r *rewriting) named(name string) map[string]core.Located {
	if r.found[name] == nil {
		r.found[name] = make(map[string]core.Located)
	}
	return r.found[name]
}

// count is the number of keys of the source with some names.
func (r *rewriting) count(names []string) (n int) {
	for _, name := range names {
		n += len(r.found[name])
	}
	return n
}

// each calls do with all names, in batches.
func (r *rewriting) each(ctx context.Context, do func(names []string) error) error {
	tokens, err := r.from.contents(ctx, slices.Collect(maps.Keys(r.found["push:tokens"])))
	if err != nil {
		return err
	}
	r.tokens = make(map[string]string)
	for _, c := range tokens {
		maps.Copy(r.tokens, c.rows)
	}
	for names := range slices.Chunk(slices.Sorted(maps.Keys(r.found)), core.WalkBatch) {
		if err := do(names); err != nil {
			return err
		}
	}
	return nil
}

// joined is the content that the default layout has in one key.
type joined struct {
	core.Located // one of the keys it comes from
	content
}

// wanted is the content that the destination must have for some names, by key, and the number of keys of the source.
func (r *rewriting) wanted(ctx context.Context, names []string) (wanted map[string]content, found int, err error) {
	var all []core.Located
	for _, name := range names {
		all = slices.AppendSeq(all, maps.Values(r.found[name]))
	}
	keys := make([]string, len(all))
	for i, k := range all {
		keys[i] = k.Key
	}
	read, err := r.from.contents(ctx, keys)
	if err != nil {
		return nil, 0, err
	}
	byName := make(map[string]*joined)
	if slices.Contains(names, entryIDs) {
		last := map[string]string{"": strconv.FormatInt(r.lastEntry, 10)}
		byName[entryIDs] = &joined{core.Located{Name: entryIDs, Home: core.Numbered}, content{typ: "string", rows: last, left: -1}}
	}
	for i, k := range all {
		switch read[i].typ {
		case "none": // expired
			continue
		case "list", "set", "stream":
			return nil, 0, fmt.Errorf("%w: the key %s is a %s: this store was not written by feedwire", feed.ErrConflict, k.Key, read[i].typ)
		}
		found++
		if byName[k.Name] == nil {
			byName[k.Name] = &joined{k, content{typ: read[i].typ, rows: make(map[string]string), left: -1}}
		}
		if err := r.join(byName[k.Name], &k, &read[i]); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", k.Key, err)
		}
	}
	wanted = make(map[string]content)
	for _, j := range byName {
		if err := r.split(j, wanted); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", j.Name, err)
		}
	}
	for key := range wanted {
		r.known[key] = true
	}
	return wanted, found, nil
}

// rowsAtOnce bounds the fields or members of one command.
const rowsAtOnce = 500

// write replaces the keys that are not copied unchanged.
func (r *rewriting) write(ctx context.Context, wanted map[string]content) error {
	_, err := r.to.db.Pipeline(ctx, group, func(b *core.Batch) {
		for key, c := range wanted {
			if c.origin != "" {
				continue
			}
			b.Add("DEL", key)
			for rows := range slices.Chunk(slices.Sorted(maps.Keys(c.rows)), rowsAtOnce) {
				switch args := []any{key}; c.typ {
				case "string":
					b.Add("SET", key, c.rows[""])
				case "zset":
					for _, row := range rows {
						args = append(args, c.rows[row], row)
					}
					b.Add("ZADD", args...)
				default:
					for _, row := range rows {
						args = append(args, row, c.rows[row])
					}
					b.Add("HSET", args...)
				}
			}
			if c.left > 0 {
				b.Add("PEXPIRE", key, c.left)
			}
		}
	})
	return err
}
