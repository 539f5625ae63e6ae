package desk

import (
	"fmt"
	"strings"
	"time"
)

// moment is a time as a page shows it. The zero moment is shown as nothing.
type moment struct {
	Text    string // for people
	Machine string // RFC 3339
}

// ago tells of a time in the past, at now.
func ago(t, now time.Time) moment {
	if t.IsZero() {
		return moment{}
	}
	d := now.Sub(t)
	text := clock(t, now)
	switch {
	case d < 5*time.Second:
		text = "just now"
	case d < 12*time.Hour:
		text = span(d) + " ago"
	}
	return moment{text, machine(t)}
}

// ahead tells of a time to come, at now.
func ahead(t, now time.Time) moment {
	if t.IsZero() {
		return moment{}
	}
	d := t.Sub(now)
	text := clock(t, now)
	switch {
	case d < time.Second:
		text = "now"
	case d < 12*time.Hour:
		text = "in " + span(d)
	}
	return moment{text, machine(t)}
}

// exactly is ahead, to the minute.
func exactly(t, now time.Time) moment {
	m, d := ahead(t, now), t.Sub(now)
	if d >= time.Second && d < 12*time.Hour {
		m.Text = "in " + length(d)
	}
	return m
}

// span is a duration in its largest unit, up to hours.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// length is a duration to the minute, or to the second where it is shorter than ten of them.
func length(d time.Duration) string {
	unit := time.Minute
	if d < 10*time.Minute {
		unit = time.Second
	}
	d = d.Round(unit)
	var parts []string
	for _, u := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / u.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, u.name))
		}
		d %= u.size
	}
	return strings.Join(parts, " ")
}

// clock is a time of day, with the day where it is another one than today. Pages say that times are UTC.
func clock(t, now time.Time) string {
	t, now = t.UTC(), now.UTC()
	switch {
	case t.Year() != now.Year():
		return t.Format("2 Jan 2006")
	case t.YearDay() != now.YearDay():
		return t.Format("2 Jan 15:04")
	}
	return t.Format("15:04")
}

func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// plural counts things: "1 source", "2 sources".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
