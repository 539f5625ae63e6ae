package desk

import (
	"fmt"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// The bounds of a source's own polling interval.
const (
	minInterval = time.Second
	maxInterval = 30 * 24 * time.Hour
	maxTimeout  = 10 * time.Minute
)

// sourceBody is what POST /sources takes. What is left out stays as it is with a known source.
type sourceBody struct {
	URL      string            `json:"url"`
	Feeds    *[]string         `json:"feeds"`    // outgoing feeds; left out: production
	Publish  *feed.PublishMode `json:"publish"`  // left out: manual
	Interval *string           `json:"interval"` // "30m"; left out, "" or "0s": the daemon's default
	Request  *requestBody      `json:"request"`  // left out: the daemon's defaults; given, it replaces all of it

	Filters    *feed.Filters `json:"filters"`    // which entries are taken; left out: all
	Categories *[]string     `json:"categories"` // for people, "News/Technology"

	IgnoreUpdates *bool     `json:"ignore_updates"` // left out: false
	Keep          *keepBody `json:"keep"`           // left out: the daemon's defaults
}

// keepBody is which entries housekeeping leaves; see feed.Keep.
type keepBody struct {
	Entries int    `json:"entries"`
	For     string `json:"for"` // "720h"
}

// Bounds of what is kept.
const (
	maxKeepEntries = 1_000_000
	maxKeepFor     = 10 * 365 * 24 * time.Hour
)

// keep checks the body and blames its fields.
func (b *keepBody) keep(blame func(field, reason string)) feed.Keep {
	if b.Entries < 0 || b.Entries > maxKeepEntries {
		blame("keep.entries", fmt.Sprintf("use a number up to %d, or 0 for the default", maxKeepEntries))
	}
	return feed.Keep{Entries: b.Entries, For: interval("keep.for", b.For, maxKeepFor, blame)}
}

// requestBody is how the source is asked; see feed.Request.
type requestBody struct {
	Timeout     string            `json:"timeout"`      // "45s"
	MinInterval string            `json:"min_interval"` // "2h"
	Headers     map[string]string `json:"headers"`
	Username    string            `json:"username"`
	Password    string            `json:"password"`
	Proxy       string            `json:"proxy"` // a URL, or direct
}

// maxHeaders bounds the header fields of one source.
const maxHeaders = 20

// request checks the body and blames its fields.
func (b *requestBody) request(blame func(field, reason string)) feed.Request {
	req := feed.Request{Headers: b.Headers, Username: b.Username, Password: b.Password, Proxy: b.Proxy}
	req.Timeout = interval("request.timeout", b.Timeout, maxTimeout, blame)
	req.MinInterval = interval("request.min_interval", b.MinInterval, maxInterval, blame)
	if len(b.Headers) > maxHeaders {
		blame("request.headers", fmt.Sprintf("use at most %d", maxHeaders))
	}
	for name, value := range b.Headers {
		if err := feed.CheckHeader(name, value); err != nil {
			blame("request.headers", err.Error())
		}
	}
	if err := feed.CheckCredentials(b.Username, b.Password); err != nil {
		blame("request.username", err.Error())
	}
	if b.Proxy != "" && b.Proxy != "direct" {
		if err := feed.CheckProxy(b.Proxy); err != nil {
			blame("request.proxy", err.Error())
		}
	}
	return req
}

// interval reads a duration from minInterval to most; none is 0, which may be written, too.
func interval(field, s string, most time.Duration, blame func(field, reason string)) time.Duration {
	if s == "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || (d != 0 && d < minInterval) || d > most {
		blame(field, fmt.Sprintf("use a duration from 1s to %s, like 90s or 1h30m, or 0s for the default", whole(most)))
		return 0
	}
	return d
}

// whole spells a duration of whole minutes or hours.
func whole(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}
