package config

import (
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// cronSpec checks when a recurring job runs: five fields, or a descriptor such as @hourly or @every 10m.
//
// The parser of specs is asked only after a look of our own: it panics on a time zone without fields behind it, takes a
// negative @every for every second, and accepts days that never come.
func cronSpec(s string) *Problem {
	const example = `write minute, hour, day, month and weekday, like "17 * * * *", or @hourly, @daily or @every 10m`
	if strings.Contains(s, "TZ=") {
		return wrong(quote(s)+" names a time zone", "leave it out; all times are UTC")
	}
	if every, ok := strings.CutPrefix(strings.TrimSpace(s), "@every"); ok {
		d, err := time.ParseDuration(strings.TrimSpace(every))
		if err != nil || d < time.Second {
			return wrong(quote(s)+" is not an interval of at least a second", "write it like @every 10m")
		}
	}
	schedule, err := cron.ParseStandard(s)
	if err != nil {
		return wrong(quote(s)+" is not a cron spec", example)
	}
	// From here to the end of the search, five years on, every date that exists comes up, 29 February included.
	if schedule.Next(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return wrong(quote(s)+" never comes up", "choose a day that exists")
	}
	return nil
}
