package fetch

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Bounds of the times that servers ask for.
const (
	maxFresh      = 24 * time.Hour
	maxRetryAfter = 7 * 24 * time.Hour
)

// FreshUntil returns until when a response is fresh, and the header field that says so (RFC 9111 section 4.2), or the zero
// time.
func FreshUntil(h http.Header, now time.Time) (until time.Time, field string) {
	for directive := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-cache", "no-store":
			return time.Time{}, ""
		case "max-age":
			age, err := seconds(strings.Trim(value, `"`), maxFresh)
			if err != nil {
				return time.Time{}, ""
			}
			spent, _ := seconds(h.Get("Age"), maxFresh) // 0 if it is malformed
			return now.Add(max(0, age-spent)), "Cache-Control"
		}
	}
	expires, err := http.ParseTime(h.Get("Expires"))
	if err != nil {
		return time.Time{}, ""
	}
	sent := now
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		sent = date
	}
	return now.Add(min(max(0, expires.Sub(sent)), maxFresh)), "Expires"
}

// RetryAfter reads Retry-After in seconds or as a date (RFC 9110 section 10.2.3). It returns the zero time if the field is
// missing or malformed.
func RetryAfter(h http.Header, now time.Time) time.Time {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if wait, err := seconds(value, maxRetryAfter); err == nil {
		return now.Add(wait)
	}
	if date, err := http.ParseTime(value); err == nil {
		return now.Add(min(date.Sub(now), maxRetryAfter))
	}
	return time.Time{}
}

// seconds reads a non-negative number of seconds and cuts it to most.
func seconds(s string, most time.Duration) (time.Duration, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return most, nil
	case err != nil:
		return 0, err
	}
	return time.Duration(min(n, uint64(most/time.Second))) * time.Second, nil
}
