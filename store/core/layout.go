package core

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// Layout says in which Keyspace a key is. The default layout has one Keyspace for everything. The sharded layout, for a Redis
// Cluster, has one for each shard of the sources and of the users, one for the hub, and one for the desk; each is in one slot.
type Layout struct {
	prefix string
	desk   Keyspace
	hub    Keyspace
	shards []Keyspace // of sources
	users  []Keyspace
}

// Keyspace is the part of the keys that one script may use together.
type Keyspace struct {
	prefix string
	number int // of the shard; of the desk, that after the last shard
	shards int // of the layout
}

// shardCount is part of the data format: with another number sources and users would be looked for in other shards.
const shardCount = 64

func layoutOf(o *Options, clustered bool) Layout {
	prefix := o.Prefix
	if !o.Sharded && (!clustered || strings.HasPrefix(prefix, "{")) {
		one := Keyspace{prefix: prefix, shards: 1}
		return Layout{prefix: prefix, desk: one, hub: one, shards: []Keyspace{one}, users: []Keyspace{one}}
	}
	l := Layout{
		prefix: prefix, desk: Keyspace{prefix + "{desk}", shardCount, 1}, hub: Keyspace{prefix: prefix + "{hub}", shards: 1},
		shards: make([]Keyspace, shardCount), users: make([]Keyspace, shardCount),
	}
	for i := range shardCount {
		l.shards[i] = Keyspace{fmt.Sprintf("%s{p%02d}", prefix, i), i, shardCount}
		l.users[i] = Keyspace{fmt.Sprintf("%s{u%02d}", prefix, i), i, shardCount}
	}
	return l
}

// checkTag accepts the prefixes that mean the same to feedwire and to Redis Cluster: a tag at the start, or no brace at all.
func checkTag(prefix string) error {
	rest, tagged := strings.CutPrefix(prefix, "{")
	tag, _, closed := strings.Cut(rest, "}")
	if tagged && closed && tag != "" || !strings.Contains(prefix, "{") {
		return nil
	}
	return errors.New("the prefix must begin with a tag, as in {feedwire}:, to keep all keys on one node of a Redis Cluster, " +
		"or contain no brace, to spread them over the nodes")
}

// Key returns the key with a name.
func (k Keyspace) Key(name string) string { return k.prefix + name }

// Prefix begins every key of the Keyspace. Scripts that compute keys get it as an argument.
func (k Keyspace) Prefix() string { return k.prefix }

// Numbering returns how the number of an entry follows from the counter of its Keyspace: count × step + offset. No two
// entries of a store have the same number.
func (k Keyspace) Numbering() (step, offset int) { return k.shards, k.number }

// Prefix begins every key of the store.
func (l *Layout) Prefix() string { return l.prefix }

// Desk holds articles, people and bookkeeping.
func (l *Layout) Desk() Keyspace { return l.desk }

// Hub holds the hub, and the stream of all signals.
func (l *Layout) Hub() Keyspace { return l.hub }

// Source holds a source with its entries. All sources of a host are together, because they share the queue of that host. A
// source that has moved to another host stays, and uses a queue of that host in its own Keyspace.
func (l *Layout) Source(feedURL string) Keyspace {
	if !l.sharded() {
		return l.shards[0]
	}
	return l.Host(feed.Host(feedURL))
}

// Host holds the sources of a host, as feed.Host names it.
func (l *Layout) Host(host string) Keyspace {
	sum := sha256.Sum256([]byte(host))
	return l.shards[int(sum[0])%len(l.shards)]
}

// Entry holds the entry with an id such as Entry:5, unless the entry was copied from a store with another layout: then it kept
// its number, and is in the Keyspace of its source.
func (l *Layout) Entry(id string) Keyspace {
	n, _ := strconv.ParseUint(strings.TrimPrefix(id, "Entry:"), 10, 64) // no number: there is no such entry
	return l.shards[n%uint64(len(l.shards))]
}

// User holds what belongs to one user.
func (l *Layout) User(id int64) Keyspace { return l.users[uint64(id)%uint64(len(l.users))] }

// Sources lists every Keyspace with sources. Sets of all sources, such as the schedule, are divided among them.
func (l *Layout) Sources() []Keyspace { return l.shards }

// everywhere lists every Keyspace of sources and of the desk, by number. Each has an outbox.
func (l *Layout) everywhere() []Keyspace {
	if !l.sharded() {
		return l.shards
	}
	return append(slices.Clone(l.shards), l.desk)
}

func (l *Layout) sharded() bool { return len(l.shards) > 1 }

// guard is a key that never exists, in the slot of another key. In a cluster every script names it: while a slot moves from one
// node to another, Redis then answers TRYAGAIN instead of running the script on the keys that have already moved.
func (l *Layout) guard(key string) string {
	if !l.sharded() {
		return l.prefix + "guard"
	}
	return key[:len(l.prefix)+strings.IndexByte(key[len(l.prefix):], '}')+1] + "guard"
}
