package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gomodule/redigo/redis"
)

// oneKey holds by command whether its only key is the first argument, no matter which others it has.
var oneKey sync.Map

// keysOf returns the keys of a command. It asks the server once for each command that has one key.
func (c *Redigo) keysOf(command string, args []any) ([]string, error) {
	one, known := oneKey.Load(command)
	if !known {
		info, err := redis.Values(c.conns[0].Do("COMMAND", "INFO", command))
		if err != nil {
			return nil, err
		}
		about, _ := info[0].([]any) // name, arity, flags, first and last key, step; nothing of an unknown command
		one = len(about) > 5 && strings.EqualFold(fmt.Sprintf("%s", about[0]), command) && about[3] == any(int64(1)) && about[4] == any(int64(1)) &&
			!strings.Contains(fmt.Sprint(about[2]), "movablekeys")
		oneKey.Store(command, one)
	}
	if one.(bool) && len(args) > 0 {
		if key, ok := args[0].(string); ok {
			return []string{key}, nil
		}
	}
	return redis.Strings(c.conns[0].Do("COMMAND", slices.Concat([]any{"GETKEYS", command}, args)...))
}

// tags returns the tags of the shards that have keys, sorted.
func (c *Redigo) tags() (all []string) {
	c.tb.Helper()
	for _, conn := range c.conns {
		names, err := redis.Strings(conn.Do("KEYS", c.prefix+"{p*}*"))
		if err != nil {
			c.tb.Fatal(err)
		}
		for _, name := range names {
			tag, _, _ := strings.Cut(strings.TrimPrefix(name, c.prefix), "}")
			all = append(all, tag+"}")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// stringMaps returns the hashes at keys, which it reads many at a time.
func (c *Redigo) stringMaps(keys []string) (all []map[string]string) {
	c.tb.Helper()
	for some := range slices.Chunk(keys, 100) { // miniredis reads nothing while its replies wait for their reader
		from := make([]redis.Conn, len(some))
		names := make([][]any, len(some))
		for i, key := range some {
			from[i], names[i] = c.conns[0], []any{key}
			if c.prefix != "" || c.home != "" {
				from[i], names[i] = c.withPrefix("HGETALL", names[i])
			}
		}
		for i, conn := range from {
			if err := conn.Send("HGETALL", names[i]...); err != nil {
				c.tb.Fatalf("HGETALL %v: %v", names[i], err)
			}
		}
		for _, conn := range c.conns {
			if err := conn.Flush(); err != nil {
				c.tb.Fatalf("HGETALL: %v", err)
			}
		}
		for i, conn := range from {
			hash, err := redis.StringMap(conn.Receive())
			if err != nil {
				c.tb.Fatalf("HGETALL %v: %v", names[i], err)
			}
			all = append(all, hash)
		}
	}
	return all
}
