package feed

import (
	"net/http"
	"strings"
)

// Problem is an error response of the API (RFC 9457).
type Problem struct {
	Type     string       `json:"type"`               // problemPage and the ProblemKind
	Title    string       `json:"title"`              // of the kind
	Status   int          `json:"status"`             // HTTP
	Detail   string       `json:"detail,omitempty"`   // the problem with this request, and the remedy
	Instance string       `json:"instance,omitempty"` // path of the request
	Errors   []FieldError `json:"errors,omitempty"`   // by field
}

// ProblemType is the media type of a Problem.
const ProblemType = "application/problem+json"

// problemPage documents each kind of problem.
const problemPage = "https://github.com/feedwire/feedwire/blob/main/docs/reference/problems.md#"

// ProblemKind is a kind of problems. Programs may rely on its name and status.
type ProblemKind struct {
	name   string // last segment of the type of its problems
	title  string
	status int
}

// Kinds of problems, by status.
var (
	ProblemInvalid      = ProblemKind{"invalid-request", "Invalid request", http.StatusBadRequest}
	ProblemUnknown      = ProblemKind{"not-signed-in", "A token is needed", http.StatusUnauthorized}
	ProblemForbidden    = ProblemKind{"not-allowed", "Not permitted for this token", http.StatusForbidden}
	ProblemNotFound     = ProblemKind{"not-found", "Not found", http.StatusNotFound}
	ProblemMethod       = ProblemKind{"method-not-allowed", "Method not allowed", http.StatusMethodNotAllowed}
	ProblemConflict     = ProblemKind{"wrong-state", "Not possible in this state", http.StatusConflict}
	ProblemVotingClosed = ProblemKind{"voting-closed", "Voting is closed", http.StatusConflict}
	ProblemUnderWay     = ProblemKind{"request-under-way", "The first request with this key is in progress", http.StatusConflict}
	ProblemAnsweredOnce = ProblemKind{"answered-once", "The response is not stored", http.StatusConflict}
	ProblemGone         = ProblemKind{"removed", "Removed", http.StatusGone}
	ProblemChanged      = ProblemKind{"changed-since", "Someone else changed this", http.StatusPreconditionFailed}
	ProblemTooLarge     = ProblemKind{"too-large", "The body is too large", http.StatusRequestEntityTooLarge}
	ProblemUnusable     = ProblemKind{"unusable", "The content cannot be used", http.StatusUnprocessableEntity}
	ProblemKeyReused    = ProblemKind{"key-reused", "The key was used for another request", http.StatusUnprocessableEntity}
	ProblemThrottled    = ProblemKind{"throttled", "Too many wrong credentials", http.StatusTooManyRequests}
	ProblemQuota        = ProblemKind{"quota", "Too many requests of this account", http.StatusTooManyRequests}
	ProblemInternal     = ProblemKind{"internal", "Internal error", http.StatusInternalServerError}
	ProblemUnavailable  = ProblemKind{"unavailable", "The store is unavailable", http.StatusServiceUnavailable}
	ProblemBusy         = ProblemKind{"busy", "Too much is under way", http.StatusServiceUnavailable}
)

// ProblemKinds returns all kinds, by status.
func ProblemKinds() []ProblemKind {
	return []ProblemKind{
		ProblemInvalid, ProblemUnknown, ProblemForbidden, ProblemNotFound, ProblemMethod, ProblemConflict, ProblemVotingClosed, ProblemUnderWay,
		ProblemAnsweredOnce, ProblemGone, ProblemChanged, ProblemTooLarge, ProblemUnusable, ProblemKeyReused, ProblemThrottled, ProblemQuota, ProblemInternal,
		ProblemUnavailable, ProblemBusy,
	}
}

// Problem returns a problem of this kind for a request.
func (k ProblemKind) Problem(r *http.Request, detail string, fields ...FieldError) Problem {
	return Problem{problemPage + k.name, k.title, k.status, detail, r.URL.EscapedPath(), fields}
}

// FieldError names one field or parameter of a request and what is wrong with it.
type FieldError struct {
	Field  string `json:"field"`
	Reason string `json:"reason"`
}

// FieldErrors lists the invalid fields of a request. It is an ErrInvalid.
type FieldErrors []FieldError

func (e FieldErrors) Error() string {
	reasons := make([]string, len(e))
	for i, f := range e {
		reasons[i] = f.Field + ": " + f.Reason
	}
	return strings.Join(reasons, "; ")
}

// Is reports whether target is ErrInvalid.
func (e FieldErrors) Is(target error) bool { return target == ErrInvalid }

// Invalid returns an error for one field.
func Invalid(field, reason string) error { return FieldErrors{{Field: field, Reason: reason}} }

// MarkStale says in the header of a response that it is the last good copy, because the store is unavailable.
func MarkStale(header http.Header) { header.Set("X-Feedwire-Stale", "1") }
