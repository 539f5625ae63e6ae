package storetest

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// shardCount is the number of shards of the sources in the sharded layout.
const shardCount = 64

// InShards is NewRedigo for the sharded layout, on one server or on the masters of a cluster in their order. Keys are named as
// in the default layout. A key of which each shard has one, such as sched:due, is that of the shard of the source home.
func InShards(tb TB, prefix, home string, dials ...core.DialFunc) *Redigo {
	tb.Helper()
	c := NewRedigo(tb, dials[0], prefix)
	for _, dial := range dials[1:] {
		c.conns = append(c.conns, NewRedigo(tb, dial, prefix).conns...)
	}
	c.home = home
	return c
}

// Of is these commands with another source as home.
func (c *Redigo) Of(feedURL string) *Redigo {
	of := *c
	if c.home != "" {
		of.home = feedURL
	}
	return &of
}

// Entry returns the id of the nth entry that was made, in the shard of the source home.
func (c *Redigo) Entry(n int) string {
	if c.home != "" {
		n = n*shardCount + shardOf(c.home)
	}
	return fmt.Sprint("Entry:", n)
}

// Sharded reports whether the layout is sharded.
func (c *Redigo) Sharded() bool { return c.home != "" }

// ShardTag returns the tag of the shard of a source, as package core documents it.
func ShardTag(feedURL string) string { return shardTag(shardOf(feedURL)) }

func shardOf(feedURL string) int {
	sum := sha256.Sum256([]byte(feed.Host(feedURL)))
	return int(sum[0]) % shardCount
}

func shardTag(n int) string { return fmt.Sprintf("{p%02d}", n) }

// userTag is the tag of the user whose id is the first number in the rest of a name.
func userTag(rest string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(rest, "user:"), ":")
	n, _ := strconv.Atoi(id) // no number: there is no such user
	return fmt.Sprintf("{u%02d}", n%shardCount)
}

// place is the tag of a key in the sharded layout.
func (c *Redigo) place(name string) string {
	family, rest, _ := strings.Cut(name, ":")
	switch family {
	case "feeds", "ids", "sched", "push":
		return ShardTag(c.home)
	case "host":
		return ShardTag("http://" + rest)
	case "http", "https":
		return ShardTag(name[:strings.LastIndexByte(name, ':')])
	case "Entry":
		n, _ := strconv.Atoi(rest) // no number: there is no such entry
		return shardTag(n % shardCount)
	case "signals", "hub", "fanout":
		return "{hub}"
	case "feed", "user.follows", "user.fetches", "user.posted", "user.posting", "user.uploaded", "user.voting", "user.submitting", "user.commenting", "user.readmark", "user.read", "user.keepunread", "user.saved": // feed:user:<user> and so on
		return userTag(rest)
	}
	return "{desk}"
}

// at is these commands for the keys with a tag, named without it.
func (c *Redigo) at(tag string) *Redigo {
	return &Redigo{tb: c.tb, conns: c.conns, prefix: c.prefix + tag}
}
