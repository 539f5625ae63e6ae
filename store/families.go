package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// home is where keys of a kind are in the partitioned layout. In the seeds' all are in one place.
type home int

const (
	atDesk      home = iota // one key
	atHub                   // one key
	hubAndParts             // one at the hub that everybody reads, and an outbox in each part
	ofSource                // in the part of the source whose URL is in the name
	ofOwner                 // in the part of the source that the field feed_url names
	divided                 // one in each part, of its own sources
	ofHost                  // in the part of the host, and in that of a source which has moved there
	everywhere              // one in each part, of what is the same for all of them
	addedUp                 // one in each part and at the desk, which are added up
	numbered                // one in each part, of which each counts numbers of its own
	gathering               // how far the outboxes of the parts are gathered
)

// entryIDs is the family that says which entry was the last.
const entryIDs = "ids:Entry"

// families are the keys that doc.go lists, by where they are.
func families() map[home][]string {
	return map[home][]string{
		ofOwner: {"Entry:<n>", "push:leaving:<token>"},
		ofSource: {
			"<feed_url>:sort", "<feed_url>:guidmap", "<feed_url>:alias", "<feed_url>:dead", "<feed_url>:meta", "<feed_url>:polls",
			"<feed_url>:push",
		},
		divided:     {"feeds", "sched:due", "sched:unwell", "sched:lease", "push:tokens", "push:due"},
		ofHost:      {"host:<host>"},
		everywhere:  {"sched:added"},
		addedUp:     {"activity:<n>"},
		numbered:    {entryIDs},
		hubAndParts: {"signals"},
		gathering:   {"signals:gathered"},
		atHub: {
			"hub:cursor", "hub:requests", "hub:verify", "hub:asking:<id>", "hub:subscriptions", "hub:leases", "hub:hosts:<host>",
			"hub:health", "hub:paused", "hub:idle", "hub:readers", "hub:topics", "hub:topic:<topic>", "hub:topic:<topic>:subs",
			"hub:body:<topic>:<n>", "hub:document:<topic>", "hub:planning", "hub:ready", "hub:later", "hub:dead",
		},
		atDesk: {
			"article:<uuid>", "article:<uuid>:content", "article:<uuid>:versions", "article:<uuid>:deeds",
			"article:<uuid>:impressions:<type>", "articles", "published_<type>", "imported_<type>", "expired_<type>",
			"taken_back_<type>", "version:<type>", "visits:<type>", "removed:<id>",
			"accounts", "account:<name>", "account:<name>:sessions", "account:<name>:known", "session:<hash>", "link:<hash>",
			"attempts:<whose>", "tokens", "tokens:used", "audit",
			"fetch:<type>:<id>", "request:<id>", "undo:<id>", "answer:<id>", "job:<id>", "job:<id>:results", "job:<id>:work", "jobs",
			"schema", "installation", "closed", "ready",
		},
	}
}

// homeOf is where a key is, by its name.
func homeOf(families map[home][]string, name string) (home, bool) {
	for h, patterns := range families {
		if slices.ContainsFunc(patterns, func(pattern string) bool { return isOf(pattern, name) }) {
			return h, true
		}
	}
	return 0, false
}

// isOf reports whether a name is of a family, such as "<feed_url>:sort". Only URLs begin with a scheme.
func isOf(pattern, name string) bool {
	head, rest, open := strings.Cut(pattern, "<")
	if !open {
		return name == pattern
	}
	tail := rest[strings.LastIndexByte(rest, '>')+1:]
	isURL := strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
	return isURL == strings.HasPrefix(pattern, "<feed_url>") && len(name) > len(head)+len(tail) &&
		strings.HasPrefix(name, head) && strings.HasSuffix(name, tail)
}

// kept is a key of a store.
type kept struct {
	key   string // as it is there
	place string // what it begins with, as keys.placeOf finds it
	name  string // what follows
	home  home
	owner string // with ofSource and ofOwner: the feed URL
}

// identify says what keys are. One that no layout knows, or that is not in its place, is an error which names it.
func (s *Store) identify(ctx context.Context, names []string) ([]kept, error) {
	known := families()
	all := make([]kept, len(names))
	var owned []int
	for i, key := range names {
		place, _ := s.keys.placeOf(key)
		k := kept{key: key, place: place, name: key[len(place):]}
		var ok bool
		if k.home, ok = homeOf(known, k.name); !ok {
			return nil, fmt.Errorf("%w: the key %s is none of feedwire's, and has no place in the other layout; move it out of the way, "+
				"or give feedwire a prefix of its own", feed.ErrConflict, key)
		}
		switch k.home {
		case ofSource:
			k.owner = k.name[:strings.LastIndexByte(k.name, ':')]
		case ofOwner:
			owned = append(owned, i)
		}
		all[i] = k
	}
	replies, err := s.pipeline(ctx, "migrate", func(b *batch) {
		for _, i := range owned {
			b.add("HGET", all[i].key, "feed_url")
		}
	})
	if err != nil {
		return nil, err
	}
	for n, i := range owned {
		all[i].owner, _ = redis.String(replies[n], nil) // what names none belongs to none: nobody can find it
	}
	for i := range all {
		if at := s.keys.homes(&all[i]); !slices.Contains(at, all[i].place) {
			return nil, fmt.Errorf("%w: the key %s belongs elsewhere, to %s: this is no store of feedwire's", feed.ErrConflict, all[i].key, at[0]+all[i].name)
		}
	}
	return all, nil
}

// placeOf is the place that a key is in; false: it belongs to somebody else.
func (k keys) placeOf(key string) (string, bool) {
	for _, place := range [...]string{k.desk, k.wire} {
		if strings.HasPrefix(key, place) {
			return place, true
		}
	}
	for _, p := range k.parts {
		if strings.HasPrefix(key, p.prefix) {
			return p.prefix, true
		}
	}
	return "", false
}

// homes are the places that a key may be in; where it is one for all, the first.
func (k keys) homes(key *kept) []string {
	parts := make([]string, len(k.parts))
	for i, p := range k.parts {
		parts[i] = p.prefix
	}
	switch key.home {
	case atDesk:
		return []string{k.desk}
	case atHub, gathering:
		return []string{k.wire}
	case hubAndParts:
		return append([]string{k.wire}, parts...)
	case ofSource, ofOwner:
		return []string{k.of(key.owner).prefix}
	case ofHost:
		return append([]string{k.ofHost(strings.TrimPrefix(key.name, "host:")).prefix}, parts...)
	case addedUp:
		return append([]string{k.desk}, parts...)
	case divided, everywhere, numbered:
	}
	return parts
}

// apart reports whether a key holds what parts have each for itself, so that it is another one in the other layout.
func (k keys) apart(key *kept) bool {
	switch key.home {
	case atDesk, atHub, ofSource, ofOwner:
		return false
	case hubAndParts:
		return key.place != k.wire
	case divided, ofHost, everywhere, addedUp, numbered, gathering:
	}
	return true
}

// entryNumber is the number of an entry; 0 of any other key.
func (k *kept) entryNumber() int64 {
	number, found := strings.CutPrefix(k.name, "Entry:")
	if !found {
		return 0
	}
	n, _ := strconv.ParseInt(number, 10, 64) // such as feedwire did not make count for nothing
	return n
}
