package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// migrateAtOnce bounds how many keys are on their way at a time.
const migrateAtOnce = 100

// quiet is how long no daemon may have read signals from a store that is copied. Each asks for them every second.
const quiet = 5 * time.Second

// Migration is how far a copy is.
type Migration struct {
	Keys    int // that the store has
	Copied  int // in this run
	Same    int // of those, and of earlier runs, that were read again on both sides and are the same
	Expired int // that were there when the copy began and no more in the end
}

// CopyTo copies everything to another store, which has to be empty, in another Redis or under another prefix, with what is
// left of each TTL. No daemon may work on either: this store is closed meanwhile, and one that is at work or was in the
// meantime is noticed (feed.ErrConflict). After an interruption the same call goes on; until it has compared all keys on
// both sides Check refuses the copy. With dry it only counts. Progress is told of each step, of twice as many as there are
// keys.
func (s *Store) CopyTo(ctx context.Context, to *Store, dry bool, progress func(done, total int)) (m Migration, err error) {
	if err := s.isQuiet(ctx, quiet); err != nil {
		return m, err
	}
	if dry {
		if m.Keys, err = s.countKeys(ctx); err == nil {
			_, err = to.isFree(ctx, s)
		}
		return m, err
	}
	begun := time.Now()
	if err := s.whileClosed(ctx, func(ctx context.Context) error {
		if m.Keys, err = s.countKeys(ctx); err != nil {
			return err
		}
		mark, err := to.isFree(ctx, s)
		if err != nil {
			return err
		}
		if _, err := to.do(ctx, "SET", to.keys.closed(), mark); err != nil {
			return fmt.Errorf("begin to copy: %w", err)
		}
		if err := s.isElsewhere(ctx, to, mark); err != nil {
			return err
		}
		if err := s.copyAll(ctx, to, &m, progress); err != nil {
			return err
		}
		return s.isQuiet(ctx, quiet+time.Since(begun))
	}); err != nil {
		return m, err
	}
	_, err = to.do(ctx, "DEL", to.keys.closed())
	return m, err
}

// countKeys is how many keys the store has that are copied.
func (s *Store) countKeys(ctx context.Context) (n int, err error) {
	if err := s.walk(ctx, func(names []string) error {
		n += len(names)
		return nil
	}); err != nil {
		return n, fmt.Errorf("count keys: %w", err)
	}
	return n, nil
}

// copyAll copies and compares.
func (s *Store) copyAll(ctx context.Context, to *Store, m *Migration, progress func(done, total int)) error {
	done := 0
	if err := s.walk(ctx, func(names []string) error {
		copied, err := s.copyMissing(ctx, to, names)
		m.Copied += copied
		done += len(names)
		progress(done, 2*m.Keys)
		return err
	}); err != nil {
		return fmt.Errorf("copy keys: %w", err)
	}
	if err := s.walk(ctx, func(names []string) error {
		same, expired, err := s.sameKeys(ctx, to, names)
		m.Same += same
		m.Expired += expired
		done += len(names)
		progress(min(done, 2*m.Keys), 2*m.Keys)
		return err
	}); err != nil {
		return fmt.Errorf("compare keys: %w", err)
	}
	if err := to.walk(ctx, func(names []string) error { return s.knows(ctx, to, names) }); err != nil {
		return fmt.Errorf("look for other keys: %w", err)
	}
	return nil
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
	return mark, s.walk(ctx, func(names []string) error {
		return fmt.Errorf("%w: the store to copy to is not empty, it has the key %s; empty it, or choose another prefix",
			feed.ErrConflict, s.opts.Prefix+names[0])
	})
}

// isElsewhere makes sure that a copy, which has just got its mark, does not become a part of this store.
func (s *Store) isElsewhere(ctx context.Context, to *Store, mark string) error {
	if !strings.HasPrefix(to.opts.Prefix, s.opts.Prefix) {
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

// walk calls do with the names of all keys but the mark, without prefix, a part at a time. A name may come twice.
func (s *Store) walk(ctx context.Context, do func(names []string) error) error {
	for cursor := "0"; ; {
		reply, err := redis.Values(s.do(ctx, "SCAN", cursor, "MATCH", globEscape(s.opts.Prefix)+"*", "COUNT", migrateAtOnce))
		if err != nil {
			return err
		}
		var names []string
		if _, err := redis.Scan(reply, &cursor, &names); err != nil {
			return err
		}
		for i := range names {
			names[i] = strings.TrimPrefix(names[i], s.opts.Prefix)
		}
		names = slices.DeleteFunc(names, func(name string) bool { return s.opts.Prefix+name == s.keys.closed() })
		for part := range slices.Chunk(names, migrateAtOnce) {
			if err := do(part); err != nil {
				return err
			}
		}
		if cursor == "0" {
			return nil
		}
	}
}

// knows makes sure that a copy has no key that this store does not have, but for what has expired since.
func (s *Store) knows(ctx context.Context, to *Store, names []string) error {
	ours, err := redis.Ints(s.each(ctx, names, "EXISTS"))
	if err != nil {
		return err
	}
	left, err := redis.Int64s(to.each(ctx, names, "PTTL"))
	if err != nil {
		return err
	}
	for i, name := range names {
		if key := to.opts.Prefix + name; ours[i] == 0 && left[i] == -1 {
			return fmt.Errorf("%w: the copy has the key %s, which this store does not have: empty it, and begin anew", feed.ErrConflict, key)
		}
	}
	return nil
}

// each asks the same of each key.
func (s *Store) each(ctx context.Context, names []string, command string, args ...any) ([]any, error) {
	return s.pipeline(ctx, "migrate", func(b *batch) {
		for _, name := range names {
			b.add(command, slices.Concat([]any{s.opts.Prefix + name}, args)...)
		}
	})
}

// copyMissing copies those of the keys that the other store does not have. A key is there as a whole or not at all.
func (s *Store) copyMissing(ctx context.Context, to *Store, names []string) (int, error) {
	there, err := redis.Ints(to.each(ctx, names, "EXISTS"))
	if err != nil {
		return 0, err
	}
	var missing []string
	for i, name := range names {
		if there[i] == 0 {
			missing = append(missing, name)
		}
	}
	return len(missing), s.copyKeys(ctx, to, missing)
}

func (s *Store) copyKeys(ctx context.Context, to *Store, names []string) error {
	dumps, err := s.each(ctx, names, "DUMP")
	if err != nil {
		return err
	}
	left, err := redis.Int64s(s.each(ctx, names, "PTTL"))
	if err != nil {
		return err
	}
	_, err = to.pipeline(ctx, "migrate", func(b *batch) {
		for i, name := range names {
			if dumps[i] != nil && left[i] != -2 { // else it expired just now
				b.add("RESTORE", to.opts.Prefix+name, max(0, left[i]), dumps[i], "REPLACE")
			}
		}
	})
	if err != nil && strings.Contains(err.Error(), "DUMP payload version") {
		return fmt.Errorf("the Redis to copy to is older than this one and cannot read its values: %w", err)
	}
	return err
}

// sameKeys reads keys on both sides. What differs, because the store was changed between two runs, is copied again.
func (s *Store) sameKeys(ctx context.Context, to *Store, names []string) (same, expired int, err error) {
	ours, err := s.sums(ctx, names)
	if err != nil {
		return 0, 0, err
	}
	for again := true; ; again = false {
		theirs, err := to.sums(ctx, names)
		if err != nil {
			return 0, 0, err
		}
		var differ []string
		same, expired = 0, 0
		for i, name := range names {
			switch ours[i] {
			case "": // it has a TTL, and may be gone there a moment later
				expired++
			case theirs[i]:
				same++
			default:
				differ = append(differ, name)
			}
		}
		if len(differ) == 0 {
			return same, expired, nil
		}
		if !again {
			return same, expired, fmt.Errorf("%w: %s differs after it was copied; does a daemon work on it?", feed.ErrConflict, differ[0])
		}
		if err := s.copyKeys(ctx, to, differ); err != nil {
			return same, expired, err
		}
	}
}

// sums are digests of what keys hold, whatever the server's encoding; empty for one that is not there.
func (s *Store) sums(ctx context.Context, names []string) ([]string, error) {
	types, err := redis.Strings(s.each(ctx, names, "TYPE"))
	if err != nil {
		return nil, err
	}
	replies, err := s.pipeline(ctx, "migrate", func(b *batch) {
		for i, name := range names {
			key := s.opts.Prefix + name
			switch types[i] {
			case "list":
				b.add("LRANGE", key, 0, -1)
			case "set":
				b.add("SMEMBERS", key)
			case "zset":
				b.add("ZRANGE", key, 0, -1, "WITHSCORES")
			case "hash":
				b.add("HGETALL", key)
			case "stream":
				b.add("XRANGE", key, "-", "+")
			default: // a string, or nothing
				b.add("GET", key)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	sums := make([]string, len(names))
	for i, name := range names {
		switch types[i] {
		case "none":
			continue
		case "set", "hash":
			flat, err := redis.Strings(replies[i], nil)
			if err != nil {
				return nil, err
			}
			replies[i] = inOrder(flat, types[i] == "hash")
		case "stream":
			groups, err := redis.Values(s.do(ctx, "XINFO", "GROUPS", s.opts.Prefix+name))
			if err != nil && !errors.Is(err, redis.ErrNil) {
				return nil, err
			}
			for _, g := range groups { // name, pending, last-delivered-id
				if fields, _ := redis.Values(g, nil); len(fields) >= 8 {
					replies[i] = append(replies[i].([]any), fields[1], fields[5], fields[7])
				}
			}
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %q", types[i], replies[i]))
		sums[i] = hex.EncodeToString(sum[:])
	}
	return sums, nil
}

// inOrder sorts the members of a set, or the pairs of a hash.
func inOrder(flat []string, pairs bool) []string {
	if pairs {
		joined := make([]string, 0, len(flat)/2)
		for i := 0; i+1 < len(flat); i += 2 {
			joined = append(joined, fmt.Sprintf("%q %q", flat[i], flat[i+1]))
		}
		flat = joined
	}
	slices.Sort(flat)
	return flat
}
