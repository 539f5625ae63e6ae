package storetest

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// parts is into how many parts the sources of a partitioned installation are divided.
const parts = 64

// InParts is NewRedigo for an installation in parts, on one server or on the masters of a cluster in their order. Keys are
// named as without parts; of what each part has one, such as sched:due, it is that of the part of the source home.
func InParts(tb TB, prefix, home string, dials ...store.DialFunc) *Redigo {
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

// Entry is the id of the nth entry that was made, in the part of the source home.
func (c *Redigo) Entry(n int) string {
	if c.home != "" {
		n = n*parts + partNumber(c.home)
	}
	return fmt.Sprint("Entry:", n)
}

// InParts reports whether the keys are in parts.
func (c *Redigo) InParts() bool { return c.home != "" }

// PartOf is the tag of the part of a source, as package store documents it.
func PartOf(feedURL string) string { return partTag(partNumber(feedURL)) }

func partNumber(feedURL string) int {
	sum := sha256.Sum256([]byte(feed.Host(feedURL)))
	return int(sum[0]) % parts
}

func partTag(n int) string { return fmt.Sprintf("{p%02d}", n) }

// place is the tag that a key has in an installation in parts.
func (c *Redigo) place(name string) string {
	family, rest, _ := strings.Cut(name, ":")
	switch family {
	case "feeds", "ids", "sched", "push":
		return PartOf(c.home)
	case "host":
		return PartOf("http://" + rest)
	case "http", "https":
		return PartOf(name[:strings.LastIndexByte(name, ':')])
	case "Entry":
		n, _ := strconv.Atoi(rest) // no number: the first part, where it is not either
		return partTag(n % parts)
	case "signals", "hub":
		return "{hub}"
	}
	return "{desk}"
}

// at is these commands for the keys of one place, named as they are there.
func (c *Redigo) at(tag string) *Redigo {
	return &Redigo{tb: c.tb, conns: c.conns, prefix: c.prefix + tag}
}
