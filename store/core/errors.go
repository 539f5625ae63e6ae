package core

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Class is the kind of a Redis error, and the label result of feedwire_redis_commands_total.
type Class string

// The classes. All but ClassOK, ClassNoScript, ClassWrongType and ClassError mean that the store is unavailable.
const (
	ClassOK        Class = "ok"
	ClassTimeout   Class = "timeout"    // no reply in time; a write may have been applied
	ClassRefused   Class = "refused"    // nothing listens
	ClassClosed    Class = "closed"     // the connection ended, or garbage came; a write may have been applied
	ClassOOM       Class = "oom"        // maxmemory reached; reads work
	ClassMisconf   Class = "misconf"    // cannot persist, as on a full disk; reads work
	ClassReadOnly  Class = "readonly"   // a replica
	ClassLoading   Class = "loading"    // reading its data after a start
	ClassBusy      Class = "busy"       // a script runs too long, a master or the cluster is down, keys are moving
	ClassEmptied   Class = "emptied"    // not the data of this installation, or closed: see DB.Check; nothing was sent
	ClassAuth      Class = "auth"       // wrong or missing credentials, or an untrusted certificate
	ClassNoScript  Class = "noscript"   // the script is not loaded; it is then sent with its text
	ClassWrongType Class = "wrong_type" // a key or field holds another type: another program writes here
	ClassError     Class = "error"
)

// classes lists the classes.
func classes() []Class {
	return []Class{
		ClassOK, ClassTimeout, ClassRefused, ClassClosed, ClassOOM, ClassMisconf, ClassReadOnly, ClassLoading, ClassBusy,
		ClassEmptied, ClassAuth, ClassNoScript, ClassWrongType, ClassError,
	}
}

// Error is a failed call. It is feed.ErrUnavailable if the call may succeed later, and feed.ErrDamaged for ClassWrongType.
type Error struct {
	Op    string // "save entries"
	Class Class
	Err   error
}

func (e *Error) Error() string {
	return fmt.Sprintf("redis %s: %s: %v", e.Op, e.Class, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports feed.ErrUnavailable, feed.ErrEmptied, feed.ErrFull and feed.ErrDamaged for the classes that mean them.
func (e *Error) Is(target error) bool {
	switch target {
	case feed.ErrFull:
		return e.Class == ClassOOM
	case feed.ErrEmptied:
		return e.Class == ClassEmptied && errors.Is(e.Err, ErrEmptied)
	}
	switch e.Class {
	case ClassWrongType:
		return target == feed.ErrDamaged
	case ClassNoScript, ClassError:
		return false
	}
	return target == feed.ErrUnavailable
}

// Wrap adds what failed to an error. It returns nil if there is no error.
func Wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// Unless returns the error of a call, or otherwise if the call succeeded without being done.
func Unless(done bool, err, otherwise error) error {
	if err == nil && !done {
		return otherwise
	}
	return err
}

// replyClasses maps a part of an error reply to its class. In a script miniredis puts words before the usual start.
var replyClasses = []struct {
	text  string
	class Class
}{
	{"OOM command not allowed", ClassOOM},
	{"MISCONF", ClassMisconf},
	{"NOREPLICAS", ClassMisconf},
	{"READONLY", ClassReadOnly},
	{"LOADING", ClassLoading},
	{"max number of clients", ClassBusy},
	{"BUSY ", ClassBusy},
	{"MASTERDOWN", ClassBusy},
	{"CLUSTERDOWN", ClassBusy},
	{"TRYAGAIN", ClassBusy},
	{"MOVED ", ClassBusy},
	{"ASK ", ClassBusy},
	{"NOAUTH", ClassAuth},
	{"WRONGPASS", ClassAuth},
	{"NOPERM", ClassAuth},
	{"invalid password", ClassAuth},
	{"NOSCRIPT", ClassNoScript},
	{"WRONGTYPE", ClassWrongType},
	{"is not an integer", ClassWrongType},
	{"is not a float", ClassWrongType},
	{"is not a valid float", ClassWrongType},
	{"attempt to ", ClassWrongType}, // Lua, about a missing or odd value
}

// ClassOf returns the class of an error of this package or of the Redis client.
func ClassOf(err error) Class {
	if err == nil {
		return ClassOK // at once, because the variables below take memory
	}
	var own *Error
	var reply redis.Error
	var timeout net.Error
	var distrust *tls.CertificateVerificationError
	switch {
	case errors.As(err, &own):
		return own.Class
	case errors.As(err, &reply):
		for _, c := range replyClasses {
			if strings.Contains(string(reply), c.text) {
				return c.class
			}
		}
		return ClassError
	case errors.As(err, &distrust):
		return ClassAuth
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, redis.ErrPoolExhausted):
		return ClassTimeout
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, os.ErrNotExist):
		return ClassRefused
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe),
		errors.Is(err, net.ErrClosed), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return ClassClosed
	case errors.As(err, &timeout): // any other network error: no route, no such host
		return ClassRefused
	case strings.Contains(err.Error(), "possible server error or unsupported concurrent read"):
		return ClassClosed // redigo's error for what is not a reply; it has no type
	}
	return ClassError
}
