package ops

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
)

// each sends a command for each key.
func each(ctx context.Context, db *core.DB, keys []string, command string) ([]any, error) {
	return db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, key := range keys {
			b.Add(command, key)
		}
	})
}

// content is the content of a key, independent of the encoding of the server.
type content struct {
	typ  string            // reply of TYPE; "none": there is no such key
	rows map[string]string // fields or members with their values or scores; a string, and a digest of a list or stream, has the row ""
	left int64             // TTL in milliseconds; -1: none

	origin string // key to copy unchanged; empty: the rows are written
}

// contents reads keys.
func (s *Store) contents(ctx context.Context, keys []string) ([]content, error) {
	commands := map[string][]any{
		"list": {"LRANGE", 0, -1}, "set": {"SMEMBERS"}, "zset": {"ZRANGE", 0, -1, "WITHSCORES"}, "hash": {"HGETALL"}, "stream": {"XRANGE", "-", "+"},
	}
	types, err := redis.Strings(each(ctx, s.db, keys, "TYPE"))
	if err != nil {
		return nil, err
	}
	left, err := redis.Int64s(each(ctx, s.db, keys, "PTTL"))
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
	if err != nil {
		return nil, err
	}
	all := make([]content, len(keys))
	for i, reply := range replies {
		all[i] = content{typ: types[i], left: left[i]}
		if reply == nil { // a string that has expired, or none
			all[i].typ = "none"
			continue
		}
		if all[i].rows, err = s.rows(ctx, keys[i], types[i], reply); err != nil {
			return nil, fmt.Errorf("read %s: %w", keys[i], err)
		}
	}
	return all, nil
}

// rows decodes the content of a key with a type. That of a stream includes how far its consumer groups are.
func (s *Store) rows(ctx context.Context, key, typ string, reply any) (map[string]string, error) {
	switch typ {
	case "string":
		text, err := redis.String(reply, nil)
		return map[string]string{"": text}, err
	case "hash", "zset":
		return redis.StringMap(reply, nil)
	case "set":
		members, err := redis.Strings(reply, nil)
		rows := make(map[string]string, len(members))
		for _, member := range members {
			rows[member] = ""
		}
		return rows, err
	}
	elements, err := redis.Values(reply, nil)
	if err == nil && typ == "stream" {
		var groups []map[string]string
		groups, err = core.Infos(s.db.Do(ctx, group, "XINFO", "GROUPS", key))
		for _, f := range groups {
			elements = append(elements, f["name"], f["pending"], f["last-delivered-id"])
		}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", elements))
	return map[string]string{"": string(sum[:])}, err
}
