package ingest

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/feedwire/feedwire/store/feed"
)

// Class says in which way a poll failed: a value of the reason label of feedwire_poll_failures_total.
type Class = feed.FailureClass

// The classes, in the order of a poll.
const (
	ClassDNS            = feed.FailureDNS
	ClassConnect        = feed.FailureConnect
	ClassTLS            = feed.FailureTLS
	ClassTimeout        = feed.FailureTimeout
	ClassBlockedAddress = feed.FailureBlockedAddress
	ClassRedirectLimit  = feed.FailureRedirectLimit
	ClassHTTP4xx        = feed.FailureHTTP4xx
	ClassHTTP429        = feed.FailureHTTP429
	ClassHTTP5xx        = feed.FailureHTTP5xx
	ClassTooLarge       = feed.FailureTooLarge
	ClassNotAFeed       = feed.FailureNotAFeed
	ClassParse          = feed.FailureParse
	ClassLimits         = feed.FailureLimits
	ClassStore          = feed.FailureStore
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
func explain(err error) string { return brief(err) + "; " + feed.Advice(classOf(err), 0) }
