package storetest

import (
	"testing"
	"time"
)

// Await waits up to limit for a condition. The longer it waits, the longer are its pauses: a test that waits leaves
// the processor to those that work.
func Await(tb testing.TB, limit time.Duration, what string, holds func() bool) {
	tb.Helper()
	for start := time.Now(); !holds(); time.Sleep(Pause(start)) {
		if time.Since(start) > limit {
			tb.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// Pause returns how long a test that waits since start pauses: a fifth of that time, within bounds.
func Pause(start time.Time) time.Duration {
	return min(max(time.Since(start)/5, 2*time.Millisecond), 100*time.Millisecond)
}
