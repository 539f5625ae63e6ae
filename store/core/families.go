package core

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Home is where the keys of a family are.
type Home int

// The homes. In the default layout they are all the same.
const (
	AtDesk     Home = iota // one key at the desk
	AtHub                  // one key at the hub
	OfSource               // with the source whose URL begins the name
	OfOwner                // with the source that the field feed_url names
	OfUser                 // with the user whose id is in the name
	OfHost                 // with the sources of the host in the name, and with a source that has moved to the host
	Divided                // one for each Keyspace of Sources, each with its own members
	Everywhere             // one for each Keyspace of Sources, all alike
	Summed                 // one for each Keyspace, whose counts are added up
	Numbered               // one for each Keyspace of Sources, each with its own numbers: Keyspace.Numbering
	Outbox                 // the stream at the hub, and an outbox at the desk and for each Keyspace of Sources
	Cursors                // how far the outboxes are merged
)

// Family is a group of keys whose names follow a pattern, such as "<feed_url>:sort".
type Family struct {
	Pattern string
	Home    Home
}

// Families are the patterns of the keys of a package.
type Families map[Home][]string

// AddNoun declares the keys of a noun and loads its scripts, which may use its fragments and those of other nouns. Metrics count the
// scripts under group.
func (db *DB) AddNoun(group string, files fs.FS, keys Families, others ...fs.FS) Scripts {
	for home, patterns := range keys {
		for _, pattern := range patterns {
			db.families = append(db.families, Family{pattern, home})
		}
	}
	scripts := db.loadScripts(files, others...)
	db.GroupMetrics(group, slices.Collect(maps.Keys(scripts))...)
	return scripts
}

// Patterns returns the patterns of all keys.
func (db *DB) Patterns() []string {
	all := make([]string, len(db.families))
	for i, f := range db.families {
		all[i] = f.Pattern
	}
	return all
}

// matches reports whether a name belongs to the family. Only URLs begin with a scheme.
func (f *Family) matches(name string) bool {
	head, rest, open := strings.Cut(f.Pattern, "<")
	if !open {
		return name == f.Pattern
	}
	tail := rest[strings.LastIndexByte(rest, '>')+1:]
	isURL := strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") || feed.IsLocal(name)
	return isURL == strings.HasPrefix(f.Pattern, "<feed_url>") && len(name) > len(head)+len(tail) &&
		strings.HasPrefix(name, head) && strings.HasSuffix(name, tail)
}

// Located is a key of a store and what the layout says about it.
type Located struct {
	Key   string
	Place string // what begins the key: prefix and tag
	Name  string // the rest
	Home  Home
	owner string // with OfSource and OfOwner: the feed URL
}

// EntryNumber returns the number of an entry, or 0 for any other key.
func (l *Located) EntryNumber() int64 {
	number, found := strings.CutPrefix(l.Name, "Entry:")
	if !found {
		return 0
	}
	n, _ := strconv.ParseInt(number, 10, 64) // another program may have written Entry:x
	return n
}

// Locate finds the families of keys. A key of no family, or in the wrong place, is feed.ErrConflict.
func (db *DB) Locate(ctx context.Context, keys []string) ([]Located, error) {
	all := make([]Located, len(keys))
	var owned []int
	for i, key := range keys {
		place, _ := db.place(key)
		l := Located{Key: key, Place: place, Name: key[len(place):]}
		family := slices.IndexFunc(db.families, func(f Family) bool { return f.matches(l.Name) })
		if family < 0 {
			return nil, fmt.Errorf("%w: the key %s was not written by feedwire and has no place in the other layout; remove it, "+
				"or use a prefix of your own", feed.ErrConflict, key)
		}
		switch l.Home = db.families[family].Home; l.Home {
		case OfSource:
			l.owner = l.Name[:strings.LastIndexByte(l.Name, ':')]
		case OfOwner:
			owned = append(owned, i)
		}
		all[i] = l
	}
	replies, err := db.Pipeline(ctx, "migrate", func(b *Batch) {
		for _, i := range owned {
			b.Add("HGET", all[i].Key, "feed_url")
		}
	})
	if err != nil {
		return nil, err
	}
	for n, i := range owned {
		all[i].owner, _ = redis.String(replies[n], nil) // without the field it cannot be found in either layout
	}
	for i := range all {
		if at := db.Places(&all[i]); !slices.Contains(at, all[i].Place) {
			return nil, fmt.Errorf("%w: the key %s should be %s: this store was not written by feedwire", feed.ErrConflict, all[i].Key, at[0]+all[i].Name)
		}
	}
	return all, nil
}

// Contains reports whether a key belongs to the store.
func (l *Layout) Contains(key string) bool {
	_, ok := l.place(key)
	return ok
}

// place is what begins a key before its name; false if the key does not belong to the store.
func (l *Layout) place(key string) (string, bool) {
	for _, k := range slices.Concat([]Keyspace{l.desk, l.hub}, l.shards, l.users) {
		if strings.HasPrefix(key, k.prefix) {
			return k.prefix, true
		}
	}
	return "", false
}

// Places are where a key may be. If it is one key in any layout, there is one place, or the first is its own.
func (l *Layout) Places(key *Located) []string {
	shards := make([]string, len(l.shards))
	for i, k := range l.shards {
		shards[i] = k.prefix
	}
	switch key.Home {
	case AtDesk:
		return []string{l.desk.prefix}
	case AtHub, Cursors:
		return []string{l.hub.prefix}
	case Outbox:
		return append([]string{l.hub.prefix, l.desk.prefix}, shards...)
	case OfSource, OfOwner:
		return []string{l.Source(key.owner).prefix}
	case OfUser:
		return []string{l.User(userOf(key.Name)).prefix}
	case OfHost:
		return append([]string{l.Host(strings.TrimPrefix(key.Name, "host:")).prefix}, shards...)
	case Summed:
		return append([]string{l.desk.prefix}, shards...)
	}
	return shards // Divided, Everywhere, Numbered
}

// userOf returns the id of the user in the name of a key, or 0 if another program wrote it without one.
func userOf(name string) (id int64) {
	for part := range strings.SplitSeq(name, ":") {
		if id, _ = strconv.ParseInt(part, 10, 64); id > 0 {
			break
		}
	}
	return id
}

// Splits reports whether the other layout holds the content of a key in other keys.
func (l *Layout) Splits(key *Located) bool {
	whole := slices.Contains([]Home{AtDesk, AtHub, OfSource, OfOwner, OfUser}, key.Home) || key.Home == Outbox && key.Place == l.hub.prefix
	return !whole
}

// SameLayout reports whether two stores have the same layout.
func (l *Layout) SameLayout(other *Layout) bool { return l.sharded() == other.sharded() }

// LastNumber returns the number of the last entry that the counter in a place has given out.
func (l *Layout) LastNumber(place string, count int64) int64 {
	shard := slices.IndexFunc(l.shards, func(k Keyspace) bool { return k.prefix == place })
	return count*int64(len(l.shards)) + int64(shard)
}

// CountFor is a count from which every counter gives out numbers higher than last.
func (l *Layout) CountFor(last int64) int64 { return last / int64(len(l.shards)) }
