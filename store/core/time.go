package core

import (
	"strconv"
	"time"
)

// Stamp formats a time for fields and scores whose order matters: Unix seconds with milliseconds.
func Stamp(t time.Time) string {
	return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', 3, 64)
}

// StampOrNone is Stamp, and empty for the zero time.
func StampOrNone(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Stamp(t)
}

// Sooner returns the earlier of two times. A zero known time is unknown.
func Sooner(known, other time.Time) time.Time {
	if known.IsZero() || other.Before(known) {
		return other
	}
	return known
}

// Bit returns a boolean as it is stored.
func Bit(truth bool) int {
	if truth {
		return 1
	}
	return 0
}
