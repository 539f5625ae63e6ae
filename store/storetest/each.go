package storetest

import (
	"flag"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// sharded makes tests run on a single Redis in the sharded layout, and nowhere else.
var sharded = flag.Bool("sharded", false, "run on a single Redis in the sharded layout")

// Sharded reports whether tests run in the sharded layout.
func Sharded() bool { return *sharded }

// Clock is a time that a test sets.
type Clock struct{ Time time.Time }

// NewClock returns a clock that shows noon of 20 November 2026 UTC.
func NewClock() *Clock { return &Clock{time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)} }

// Now is the time.
func (c *Clock) Now() time.Time { return c.Time }

// Advance moves the time forward.
func (c *Clock) Advance(d time.Duration) { c.Time = c.Time.Add(d) }

// EachEngine is Engines, or with -sharded a real Redis only: the one in memory has one layout.
func EachEngine(t *testing.T, test func(t *testing.T, dial core.DialFunc)) {
	t.Helper()
	if *sharded {
		test(t, Redis(t))
		return
	}
	Engines(t, test)
}

// Each runs a test on each engine and in a cluster in both layouts. Commands for keys of which each shard has one mean the shard of
// Harbour. Each checks the invariants when the test ends. The package calls Main.
func Each(t *testing.T, test func(t *testing.T, opts core.Options, now *Clock, raw *Redigo)) {
	t.Helper()
	run := func(t *testing.T, opts core.Options, raw *Redigo) {
		now := NewClock()
		opts.Now = now.Now
		test(t, opts, now, raw)
		raw.Check([]string{"production", "development"}, feed.ImportAfter)
	}
	EachEngine(t, func(t *testing.T, dial core.DialFunc) {
		run(t, core.Options{Dial: dial, Sharded: *sharded}, HarbourCommands(t, dial))
	})
	if *sharded {
		return
	}
	t.Run("cluster", func(t *testing.T) {
		opts, raw := Place(t)
		run(t, core.Options{URL: opts.URL, Prefix: opts.Prefix}, raw)
	})
	t.Run("sharded", func(t *testing.T) {
		opts, raw := Spread(t)
		run(t, core.Options{URL: opts.URL, Prefix: opts.Prefix}, raw)
	})
}
