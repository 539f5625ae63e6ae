package ingest

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// notBefore is until when the answer is fresh and the header that says so (RFC 9111 section 4.2); the zero time: nothing
// is said.
func notBefore(h http.Header, now time.Time) (time.Time, string) {
	for _, directive := range strings.Split(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-cache", "no-store":
			return time.Time{}, ""
		case "max-age":
			age, err := seconds(strings.Trim(value, `"`), maxHint)
			if err != nil {
				return time.Time{}, ""
			}
			spent, _ := seconds(h.Get("Age"), maxHint) // zero where nothing sensible is said
			return now.Add(max(0, age-spent)), "Cache-Control"
		}
	}
	expires, err := http.ParseTime(h.Get("Expires"))
	if err != nil {
		return time.Time{}, ""
	}
	said := now
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		said = date
	}
	return now.Add(min(max(0, expires.Sub(said)), maxHint)), "Expires"
}

// retryAfter reads Retry-After, in seconds or as a date (RFC 9110 section 10.2.3); the zero time: nothing is said.
func retryAfter(h http.Header, now time.Time) time.Time {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if wait, err := seconds(value, maxWait); err == nil {
		return now.Add(wait)
	}
	if date, err := http.ParseTime(value); err == nil {
		return now.Add(min(date.Sub(now), maxWait))
	}
	return time.Time{}
}

// seconds reads a non-negative number of seconds and cuts it at most.
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
