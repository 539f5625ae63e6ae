package config

import (
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// cronSpec parses the schedule of a recurring job: five fields, or a descriptor such as @hourly or @every 10m.
//
// It first rejects what cron.ParseStandard does not: that panics on a time zone without fields, treats a negative @every as
// every second, and accepts days that do not exist.
func cronSpec(s string) (string, *Problem) {
	const example = `write minute, hour, day, month and weekday, like "17 * * * *", or @hourly, @daily or @every 10m`
	if strings.Contains(s, "TZ=") {
		return "", wrong(quote(s)+" names a time zone", "leave it out; all times are UTC")
	}
	if every, ok := strings.CutPrefix(strings.TrimSpace(s), "@every"); ok {
		d, err := time.ParseDuration(strings.TrimSpace(every))
		if err != nil || d < time.Second {
			return "", wrong(quote(s)+" is not an interval of at least a second", "write it like @every 10m")
		}
	}
	schedule, err := cron.ParseStandard(s)
	if err != nil {
		return "", wrong(quote(s)+" is not a cron spec", example)
	}
	// The search covers five years, in which every date occurs, including 29 February.
	if schedule.Next(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return "", wrong(quote(s)+" never comes up", "choose a day that exists")
	}
	return s, nil
}
