package feed

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
)

// FailureClass is the class of a failed poll. All except FailureOutage are values of the reason label of
// feedwire_poll_failures_total.
type FailureClass string

// Classes, in the order of a poll.
const (
	FailureDNS            FailureClass = "dns"
	FailureConnect        FailureClass = "connect"
	FailureTLS            FailureClass = "tls"
	FailureTimeout        FailureClass = "timeout"
	FailureBlockedAddress FailureClass = "blocked_address"
	FailureRedirectLimit  FailureClass = "redirect_limit"
	FailureHTTP4xx        FailureClass = "http_4xx"
	FailureHTTP429        FailureClass = "http_429"
	FailureHTTP5xx        FailureClass = "http_5xx"
	FailureTooLarge       FailureClass = "too_large"
	FailureNotAFeed       FailureClass = "not_a_feed"
	FailureParse          FailureClass = "parse"
	FailureLimits         FailureClass = "limits"
	FailureDayLimit       FailureClass = "day_limit"
	FailureStore          FailureClass = "store"
	FailureDamaged        FailureClass = "damaged" // a key of the source holds a value of another type
	FailureOutage         FailureClass = "outage"  // dns or connect, and most other hosts cannot be reached either
)

// FailureClasses returns the classes that a poll can end with.
func FailureClasses() []FailureClass {
	return []FailureClass{
		FailureDNS, FailureConnect, FailureTLS, FailureTimeout, FailureBlockedAddress, FailureRedirectLimit, FailureHTTP4xx,
		FailureHTTP429, FailureHTTP5xx, FailureTooLarge, FailureNotAFeed, FailureParse, FailureLimits, FailureDayLimit, FailureStore,
		FailureDamaged,
	}
}

// PollError is the error of a poll: of a request for a document, or of a document that cannot be read. Discovery, imports and
// requests to hubs return it as well.
type PollError struct {
	Class  FailureClass
	Reason string // what failed, for a person
	Err    error  // cause; may be nil
}

// Failf returns a PollError without a cause.
func Failf(class FailureClass, format string, args ...any) *PollError {
	return &PollError{Class: class, Reason: fmt.Sprintf(format, args...)}
}

// Error returns the reason and the cause as a ShortLine.
func (e *PollError) Error() string {
	if e.Err == nil {
		return ShortLine(e.Reason)
	}
	return ShortLine(e.Reason + ": " + e.Err.Error())
}

// Unwrap returns the cause.
func (e *PollError) Unwrap() error { return e.Err }

// ClassOf returns the class of an error. An error without a class is one of the store.
func ClassOf(err error) FailureClass {
	if errors.Is(err, ErrDamaged) {
		return FailureDamaged
	}
	if e, ok := errors.AsType[*PollError](err); ok {
		return e.Class
	}
	if _, ok := errors.AsType[*DayLimitError](err); ok {
		return FailureDayLimit
	}
	return FailureStore
}

// ShortLine returns text on one line of at most 500 bytes. It bounds texts of servers before they are stored, logged or shown.
func ShortLine(text string) string {
	const most = 500
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// Advice returns what a person can do about the failure of the last poll, or "".
func (p *PollState) Advice() string {
	if p.ErrorClass == "" {
		return ""
	}
	return Advice(FailureClass(p.ErrorClass), p.Status)
}

// Advice returns what a person can do about a failure. Status is the HTTP status, or 0.
func Advice(class FailureClass, status int) string {
	if class == FailureHTTP4xx {
		return cmp.Or(advice4xx[status], advice[class])
	}
	return cmp.Or(advice[class], "feedwire retries")
}

var advice = map[FailureClass]string{
	FailureDNS: "check the spelling of the host name; if the site has moved, set the new address of the source",
	FailureConnect: "check in a browser whether the site can be reached; if it can, a firewall between it and this machine may block it; " +
		"feedwire retries",
	FailureTLS:            "the owner of the site must repair its certificate or TLS settings; feedwire retries",
	FailureTimeout:        "feedwire retries; if the server is always this slow, increase --timeout for the source or fetch.timeout for all",
	FailureBlockedAddress: "if this is your network, add it to fetch.allow_networks; otherwise the address is not that of a public site",
	FailureRedirectLimit:  "open the address in a browser, and add the feed with the final address",
	FailureHTTP4xx:        "check that the feed still exists at this address and is public",
	FailureHTTP429:        "nothing: feedwire retries when the server allows it; if this happens again, poll the source less often with --interval",
	FailureHTTP5xx:        "nothing: the server failed; feedwire retries less and less often",
	FailureTooLarge:       "increase fetch.max_bytes to accept this feed",
	FailureNotAFeed: "open the address in a browser: if it shows a page, feedwire source add finds the feed of that page; " +
		"if it shows nothing, the site failed",
	FailureParse:  "the document is damaged beyond repair; a feed validator shows the owner of the site where",
	FailureLimits: "the whole document exceeds a limit that protects the daemon; the site must serve a simpler one",
	FailureDayLimit: "if the source really posts that much, increase fetch.day_entries; otherwise pause it and tell its owner; " +
		"feedwire saves more when the day allows it",
	FailureStore: "the source is not at fault; check the store",
	FailureDamaged: "another program wrote into the store: repair the key that the error names, or delete it; " +
		"feedwire polls the source again within 5 seconds",
	FailureOutage: "the source is not at fault; check the network and the DNS of this machine",
}

// advice4xx is the advice by HTTP status.
var advice4xx = map[int]string{
	http.StatusUnauthorized: "the feed requires a password; set it with --username and --password-file",
	http.StatusForbidden:    "if a browser shows the feed, the site refuses programs; ask its owner to admit the User-Agent of feedwire",
	http.StatusNotFound:     "the feed is not at this address; run feedwire source add with the address of the site to find the new one",
	http.StatusGone:         "the site has removed the feed; search for a new one there, and remove this source",
}
