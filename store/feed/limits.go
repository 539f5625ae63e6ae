package feed

import "time"

// Limits of the settings of a source.
const (
	MinInterval    = time.Second         // of Interval, Request.MinInterval, Request.Timeout and Keep.For
	MaxInterval    = 30 * 24 * time.Hour // of Interval and Request.MinInterval
	MaxTimeout     = 10 * time.Minute    // of Request.Timeout
	MaxKeepFor     = 10 * 365 * 24 * time.Hour
	MaxKeepEntries = 1_000_000
)

// Thresholds at which pages ask a person to act.
const (
	AlarmAfter = 3               // failed polls in a row; a few failures often resolve themselves
	LateAfter  = 5 * time.Minute // that a poll is late
)
