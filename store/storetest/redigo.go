package storetest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/route"
)

// Redigo sends raw commands, as redis-cli would.
type Redigo struct {
	tb     TB
	conns  []redis.Conn // to one server, or to the masters of a cluster in their order
	prefix string       // put before each key
	home   string       // a source of the shard in use, see InShards; empty: the default layout
}

// Commands opens a raw connection to a server for the length of the test.
func Commands(tb TB, dial core.DialFunc) *Redigo {
	tb.Helper()
	return NewRedigo(tb, dial, "")
}

// NewRedigo is Commands for keys with a prefix, which it puts before each of them.
func NewRedigo(tb TB, dial core.DialFunc, prefix string) *Redigo {
	tb.Helper()
	c, err := dial(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	conn := redis.NewConn(c, 0, 0)
	tb.Cleanup(func() { _ = conn.Close() })
	return &Redigo{tb: tb, conns: []redis.Conn{conn}, prefix: prefix}
}

// Do sends one command and fails the test when Redis does not take it.
func (c *Redigo) Do(command string, args ...any) any {
	c.tb.Helper()
	conn := c.conns[0]
	if c.prefix != "" || c.home != "" {
		conn, args = c.withPrefix(command, args)
	}
	reply, err := conn.Do(command, args...)
	if err != nil {
		c.tb.Fatalf("%s %v: %v", command, args, err)
	}
	return reply
}

// withPrefix puts the prefix before the keys of a command, which the server knows, and says which server has them.
func (c *Redigo) withPrefix(command string, args []any) (redis.Conn, []any) {
	conn := c.conns[0]
	keys, err := c.keysOf(command, args)
	if err != nil { // it has none
		return conn, args
	}
	args = slices.Clone(args)
	for _, key := range keys {
		i := slices.Index(args, any(key))
		if i < 0 {
			continue
		}
		full := c.prefix + key
		if c.home != "" {
			full = c.prefix + c.place(key) + key
		}
		args[i] = full
		if len(c.conns) > 1 {
			conn = c.conns[Home(route.Slot(full))]
		}
	}
	return conn, args
}

// Snapshot returns the content of a server on this machine, for RedisOf.
func (c *Redigo) Snapshot() []byte {
	c.tb.Helper()
	c.Do("SAVE")
	dir := c.Strings("CONFIG", "GET", "dir")
	snapshot, err := os.ReadFile(filepath.Join(dir[1], snapshotFile))
	if err != nil {
		c.tb.Fatal(err)
	}
	return snapshot
}

// Keys returns the keys that match a pattern, without the prefix and the tag of their part.
func (c *Redigo) Keys(pattern string) []string {
	c.tb.Helper()
	if c.home != "" {
		pattern = "{*}" + pattern
	}
	var all []string
	for _, conn := range c.conns {
		names, err := redis.Strings(conn.Do("KEYS", c.prefix+pattern))
		if err != nil {
			c.tb.Fatal(err)
		}
		for _, name := range names {
			name = strings.TrimPrefix(name, c.prefix)
			if c.home != "" {
				_, name, _ = strings.Cut(name, "}")
			}
			all = append(all, name)
		}
	}
	return all
}

// Strings is Do for a list.
func (c *Redigo) Strings(command string, args ...any) []string {
	c.tb.Helper()
	v, err := redis.Strings(c.Do(command, args...), nil)
	if err != nil {
		c.tb.Fatalf("%s %v: %v", command, args, err)
	}
	return v
}

// StringMap is Do for pairs.
func (c *Redigo) StringMap(command string, args ...any) map[string]string {
	c.tb.Helper()
	v, err := redis.StringMap(c.Do(command, args...), nil)
	if err != nil {
		c.tb.Fatalf("%s %v: %v", command, args, err)
	}
	return v
}

// Int is Do for a number.
func (c *Redigo) Int(command string, args ...any) int {
	c.tb.Helper()
	v, err := redis.Int(c.Do(command, args...), nil)
	if err != nil {
		c.tb.Fatalf("%s %v: %v", command, args, err)
	}
	return v
}
