package core

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	clocksAgree  = time.Second     // difference of two clocks that are set to the same time
	clocksDiffer = 5 * time.Second // difference from which on a daemon follows the clock of the server
)

// clock is the time by which all daemons on one Redis agree, because they compare what the others have stored with it: the clock of
// this machine, or that of the server if they differ. Between two readings the time advances with the monotonic clock, so that a jump
// of this machine alone changes nothing.
type clock struct {
	last atomic.Pointer[reading] // nil: none
}

// reading is a time and when it was right, by the clock of this machine including the monotonic one.
type reading struct{ time, local time.Time }

// now returns the time of this machine, or one without a monotonic clock if this machine is not followed.
func (c *clock) now() time.Time { return c.at(time.Now()) }

func (c *clock) at(local time.Time) time.Time {
	last := c.last.Load()
	if last == nil {
		return local
	}
	now := last.time.Add(local.Sub(last.local))
	if now.Sub(local.Round(0)).Abs() <= clocksAgree {
		return local
	}
	return now
}

// read takes note of the time of the server, and reports whether the difference to this machine has become one that matters.
func (c *clock) read(server, local time.Time) (changed bool) {
	switch {
	case server.Sub(local.Round(0)).Abs() <= clocksAgree:
		c.last.Store(&reading{local.Round(0), local})
	case server.Sub(c.at(local).Round(0)).Abs() > clocksDiffer:
		c.last.Store(&reading{server, local})
		return true
	}
	return false
}

// ReadClock reads the clock of the server, by which Now corrects that of this machine. Options.Now disables that.
func (db *DB) ReadClock(ctx context.Context) error {
	sent := time.Now()
	reply, err := redis.Int64s(db.Run(ctx, db.time, []any{db.ReadyKey()}, nil))
	if err != nil {
		return Wrap(err, "read the clock of Redis")
	}
	taken := time.Since(sent)
	if taken > clocksAgree {
		return nil // the server may have read it at any time since
	}
	server, local := time.Unix(reply[0], reply[1]*1000), time.Now().Add(-taken/2)
	difference := server.Sub(local.Round(0))
	db.metrics.clock.Set(difference.Seconds())
	if db.clock.read(server, local) {
		db.Options().Logger.Warn("the clock of this machine differs from that of Redis, which feedwire follows: synchronise both machines by NTP",
			"difference", difference.Round(time.Second))
	}
	return nil
}
