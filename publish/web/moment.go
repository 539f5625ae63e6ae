package web

import (
	"fmt"
	"strings"
	"time"
)

// Moment is a time on a page. The zero Moment is shown as nothing.
type Moment struct {
	Text    string // for people
	Machine string // RFC 3339
}

// Ago returns a time in the past.
func Ago(t, now time.Time) Moment {
	if t.IsZero() {
		return Moment{}
	}
	switch d := now.Sub(t); {
	case d < 5*time.Second:
		return Moment{"just now", machine(t)}
	case d < 12*time.Hour:
		return Moment{Span(d) + " ago", machine(t)}
	}
	return Moment{Clock(t, now), machine(t)}
}

// Ahead returns a time in the future.
func Ahead(t, now time.Time) Moment {
	if t.IsZero() {
		return Moment{}
	}
	d := t.Sub(now)
	text := Clock(t, now)
	switch {
	case d < time.Second:
		text = "now"
	case d < 12*time.Hour:
		text = "in " + Span(d)
	}
	return Moment{text, machine(t)}
}

// Exactly returns a time in the future to the minute.
func Exactly(t, now time.Time) Moment {
	m, d := Ahead(t, now), t.Sub(now)
	if d >= time.Second && d < 12*time.Hour {
		m.Text = "in " + Length(d)
	}
	return m
}

// Span returns a duration in its largest unit up to hours: "5 min".
func Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// Length returns a duration to the minute, or to the second below ten minutes: "1 h 5 min".
func Length(d time.Duration) string {
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

// GoDuration returns a duration of whole minutes or hours as options take it: "30m"; "" for 0.
func GoDuration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// Clock returns a time of day in UTC, with the date unless it is today.
func Clock(t, now time.Time) string {
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
