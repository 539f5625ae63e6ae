package feed

import "errors"

// The outcomes by which a caller decides. Everything else is an error to report.
var (
	// ErrNotFound: the named source, entry or article does not exist.
	ErrNotFound = errors.New("not found")
	// ErrExists: a new thing would take the place of another one.
	ErrExists = errors.New("exists already")
	// ErrConflict: the article is not in a state in which the step is possible.
	ErrConflict = errors.New("not possible in this state")
	// ErrChanged: somebody else has changed the thing since it was read; nothing was done.
	ErrChanged = errors.New("changed since")
	// ErrKeyReused: this Idempotency-Key was used for another request.
	ErrKeyReused = errors.New("key used for another request")
	// ErrUnderWay: a request with this Idempotency-Key is under way.
	ErrUnderWay = errors.New("under way")
	// ErrLeaseLost: another daemon owns the source now; nothing was written.
	ErrLeaseLost = errors.New("lease lost")
	// ErrInvalid: a required field is missing or a value is out of bounds.
	ErrInvalid = errors.New("invalid")
	// ErrUnavailable: the store cannot be reached or takes no writes now; try again later.
	ErrUnavailable = errors.New("store unavailable")
)
