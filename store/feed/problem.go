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

// ProblemKind is the last segment of the type of a problem. Programs may rely on it.
type ProblemKind string

// Kinds of problems.
const (
	ProblemInvalid      ProblemKind = "invalid-request"
	ProblemUnknown      ProblemKind = "not-signed-in"
	ProblemForbidden    ProblemKind = "not-allowed"
	ProblemNotFound     ProblemKind = "not-found"
	ProblemMethod       ProblemKind = "method-not-allowed"
	ProblemConflict     ProblemKind = "wrong-state"
	ProblemUnderWay     ProblemKind = "request-under-way"
	ProblemAnsweredOnce ProblemKind = "answered-once"
	ProblemChanged      ProblemKind = "changed-since"
	ProblemTooLarge     ProblemKind = "too-large"
	ProblemKeyReused    ProblemKind = "key-reused"
	ProblemInternal     ProblemKind = "internal"
	ProblemUnavailable  ProblemKind = "unavailable"
)

// problems lists all kinds by status.
var problems = []struct {
	kind   ProblemKind
	title  string
	status int
}{
	{ProblemInvalid, "Invalid request", http.StatusBadRequest},
	{ProblemUnknown, "A token is needed", http.StatusUnauthorized},
	{ProblemForbidden, "Not permitted for this token", http.StatusForbidden},
	{ProblemNotFound, "Not found", http.StatusNotFound},
	{ProblemMethod, "Method not allowed", http.StatusMethodNotAllowed},
	{ProblemConflict, "Not possible in this state", http.StatusConflict},
	{ProblemUnderWay, "The first request with this key is in progress", http.StatusConflict},
	{ProblemAnsweredOnce, "The response is not stored", http.StatusConflict},
	{ProblemChanged, "Someone else changed this", http.StatusPreconditionFailed},
	{ProblemTooLarge, "The body is too large", http.StatusRequestEntityTooLarge},
	{ProblemKeyReused, "The key was used for another request", http.StatusUnprocessableEntity},
	{ProblemInternal, "Internal error", http.StatusInternalServerError},
	{ProblemUnavailable, "The store is unavailable", http.StatusServiceUnavailable},
}

// ProblemKinds returns all kinds, by status.
func ProblemKinds() (all []ProblemKind) {
	for _, p := range problems {
		all = append(all, p.kind)
	}
	return all
}

// Problem returns a problem of this kind for a request.
func (k ProblemKind) Problem(r *http.Request, detail string, fields ...FieldError) Problem {
	p := Problem{Type: problemPage + string(k), Detail: detail, Instance: r.URL.EscapedPath(), Errors: fields}
	for _, known := range problems {
		if known.kind == k {
			p.Title, p.Status = known.title, known.status
		}
	}
	return p
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
