package ops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// value is the content of a key of any type.
type value struct {
	typ   string // reply of TYPE; "none": there is no such key
	reply any    // reply of the command that reads the content
}

// each sends a command for each key.
func each(ctx context.Context, db *core.DB, keys []string, command string) ([]any, error) {
	return db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, key := range keys {
			b.Add(command, key)
		}
	})
}

// values reads keys of any type.
func (s *Store) values(ctx context.Context, keys []string) ([]value, error) {
	commands := map[string][]any{
		"list": {"LRANGE", 0, -1}, "set": {"SMEMBERS"}, "zset": {"ZRANGE", 0, -1, "WITHSCORES"}, "hash": {"HGETALL"}, "stream": {"XRANGE", "-", "+"},
	}
	types, err := redis.Strings(each(ctx, s.db, keys, "TYPE"))
	if err != nil {
		return nil, err
	}
	replies, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for i, key := range keys {
			read, found := commands[types[i]]
			if !found { // a string, or none
				read = []any{"GET"}
			}
			b.Add(read[0].(string), append([]any{key}, read[1:]...)...)
		}
	})
	all := make([]value, len(replies))
	for i, reply := range replies {
		all[i] = value{types[i], reply}
	}
	return all, err
}

// sums are digests of the content of keys, independent of the encoding of the server; empty for a missing key.
func (s *Store) sums(ctx context.Context, keys []string) ([]string, error) {
	all, err := s.values(ctx, keys)
	if err != nil {
		return nil, err
	}
	sums := make([]string, len(keys))
	for i, v := range all {
		switch v.typ {
		case "none":
			continue
		case "set", "hash":
			flat, err := redis.Strings(v.reply, nil)
			if err != nil {
				return nil, err
			}
			v.reply = inOrder(flat, v.typ == "hash")
		case "stream":
			groups, err := core.Infos(s.db.Do(ctx, group, "XINFO", "GROUPS", keys[i]))
			if err != nil {
				return nil, err
			}
			for _, f := range groups {
				v.reply = append(v.reply.([]any), f["name"], f["pending"], f["last-delivered-id"])
			}
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %q", v.typ, v.reply))
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

// content is the content of a hash, a sorted set or a number.
type content struct {
	typ  string            // reply of TYPE; "none": there is no such key
	rows map[string]string // fields or members with their values or scores; a number has the field ""
	left int64             // TTL in milliseconds; -1: none
}

// contents reads hashes, sorted sets and numbers.
func (s *Store) contents(ctx context.Context, keys []string) ([]content, error) {
	values, err := s.values(ctx, keys)
	if err != nil {
		return nil, err
	}
	left, err := redis.Int64s(each(ctx, s.db, keys, "PTTL"))
	if err != nil {
		return nil, err
	}
	all := make([]content, len(keys))
	for i, v := range values {
		all[i] = content{typ: v.typ, left: left[i]}
		switch v.typ {
		case "none":
		case "string":
			text, err := redis.String(v.reply, nil)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", keys[i], err)
			}
			all[i].rows = map[string]string{"": text}
		case "hash", "zset":
			if all[i].rows, err = redis.StringMap(v.reply, nil); err != nil {
				return nil, fmt.Errorf("read %s: %w", keys[i], err)
			}
		default:
			return nil, fmt.Errorf("%w: the key %s is a %s: this store was not written by feedwire", feed.ErrConflict, keys[i], v.typ)
		}
	}
	return all, nil
}
