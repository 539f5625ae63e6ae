package ingest

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Class says in which way a poll failed: a value of the reason label of feedwire_poll_failures_total and of
// feed.PollState.ErrorClass.
type Class string

// The classes, in the order of a poll.
const (
	ClassDNS            Class = "dns"
	ClassConnect        Class = "connect"
	ClassTLS            Class = "tls"
	ClassTimeout        Class = "timeout"
	ClassBlockedAddress Class = "blocked_address"
	ClassRedirectLimit  Class = "redirect_limit"
	ClassHTTP4xx        Class = "http_4xx"
	ClassHTTP429        Class = "http_429"
	ClassHTTP5xx        Class = "http_5xx"
	ClassTooLarge       Class = "too_large"
	ClassNotAFeed       Class = "not_a_feed"
	ClassParse          Class = "parse"
	ClassLimits         Class = "limits"
	ClassStore          Class = "store"
)

// Classes lists all classes.
func Classes() []Class {
	return []Class{
		ClassDNS, ClassConnect, ClassTLS, ClassTimeout, ClassBlockedAddress, ClassRedirectLimit, ClassHTTP4xx,
		ClassHTTP429, ClassHTTP5xx, ClassTooLarge, ClassNotAFeed, ClassParse, ClassLimits, ClassStore,
	}
}

// Error is why a document did not become entries.
type Error struct {
	Class  Class
	Reason string // what failed, for a person
	Err    error  // the cause; may be nil
}

// Error gives the reason and its cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Reason
	}
	return fmt.Sprintf("%s: %v", e.Reason, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// failf returns an Error without a cause.
func failf(class Class, format string, args ...any) *Error {
	return &Error{Class: class, Reason: fmt.Sprintf(format, args...)}
}

// classOf is the class of an error; what carries none came from the store.
func classOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ClassStore
}

// maxErrorText bounds what is stored, logged and shown of an error, in bytes: servers can put much into one.
const maxErrorText = 500

// brief is the text of an error on one short line.
func brief(err error) string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, err.Error())
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}

// explain is an error as a person is told of it: what failed and the way out.
func explain(err error) string { return brief(err) + "; " + wayOut(classOf(err)) }

// wayOut says what can be done about a failure.
func wayOut(class Class) string {
	switch class {
	case ClassDNS:
		return "check the host name in the feed URL"
	case ClassConnect:
		return "check that the server is up and can be reached from here; it is tried again"
	case ClassTLS:
		return "the site has to mend its certificate or its encryption"
	case ClassTimeout:
		return "it is tried again; raise the timeout of the source, or fetch.timeout, if the server is always this slow"
	case ClassBlockedAddress:
		return "if that network is yours, add it to fetch.allow_networks"
	case ClassRedirectLimit:
		return "open the URL in a browser and add the feed under the address where it ends"
	case ClassHTTP4xx:
		return "check that the feed still lives at this URL and is open to everyone"
	case ClassHTTP429:
		return "it is tried again when the server allows; poll this source less often"
	case ClassHTTP5xx:
		return "the fault is the server's; it is tried again"
	case ClassTooLarge:
		return "raise fetch.max_bytes if this feed is to be taken"
	case ClassNotAFeed:
		return "look on the site for a link called RSS, Atom or feed, and use its address"
	case ClassParse:
		return "the document is damaged; a feed validator shows the site's owner where"
	case ClassLimits:
		return "the document passes a bound that keeps the daemon safe; the site has to serve a simpler one"
	case ClassStore:
		return "the source is not at fault; look at the store"
	}
	return "it is tried again"
}
