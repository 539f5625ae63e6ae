package feed

import "errors"

// Errors that callers handle.
var (
	// ErrNotFound: the object does not exist.
	ErrNotFound = errors.New("not found")
	// ErrGone: the object existed and was removed.
	ErrGone = errors.New("removed")
	// ErrForbidden: the object belongs to someone else.
	ErrForbidden = errors.New("not permitted")
	// ErrTooLarge: a part of the request is larger than allowed.
	ErrTooLarge = errors.New("too large")
	// ErrUnusable: the request is well-formed, but what it holds cannot be used.
	ErrUnusable = errors.New("cannot be used")
	// ErrExists: an object with this name already exists.
	ErrExists = errors.New("already exists")
	// ErrConflict: the state of the object does not allow the operation.
	ErrConflict = errors.New("not possible in this state")
	// ErrChanged: someone else changed the object after it was read; nothing was written.
	ErrChanged = errors.New("changed since")
	// ErrKeyReused: this Idempotency-Key was used for another request.
	ErrKeyReused = errors.New("key used for another request")
	// ErrUnderWay: a request with this Idempotency-Key is in progress.
	ErrUnderWay = errors.New("in progress")
	// ErrLeaseLost: the lease has ended and another daemon may have it; nothing was written.
	ErrLeaseLost = errors.New("lease lost")
	// ErrInvalid: a required value is missing, malformed or out of bounds.
	ErrInvalid = errors.New("invalid")
	// ErrDamaged: another program wrote a value of another type into a key of the object.
	ErrDamaged = errors.New("damaged in the store")
	// ErrUnavailable: the store cannot be reached or rejects writes; retry later.
	ErrUnavailable = errors.New("store unavailable")
	// ErrEmptied: the store lost its data, or has that of another installation. It is an ErrUnavailable.
	ErrEmptied = errors.New("the data of this installation is gone from the store")
	// ErrFull: the store has reached the limit of its memory. It rejects writes and answers reads. It is an ErrUnavailable.
	ErrFull = errors.New("store full")
)
