package feed

import "net/http"

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

// ProblemKinds returns all kinds, by status.
func ProblemKinds() []ProblemKind {
	return []ProblemKind{
		ProblemInvalid, ProblemUnknown, ProblemForbidden, ProblemNotFound, ProblemMethod, ProblemConflict, ProblemUnderWay,
		ProblemAnsweredOnce, ProblemChanged, ProblemTooLarge, ProblemKeyReused, ProblemInternal, ProblemUnavailable,
	}
}

// Problem returns a problem of this kind for a request.
func (k ProblemKind) Problem(r *http.Request, detail string, fields ...FieldError) Problem {
	title, status := k.meaning()
	return Problem{
		Type: problemPage + string(k), Title: title, Status: status, Detail: detail, Instance: r.URL.EscapedPath(), Errors: fields,
	}
}

func (k ProblemKind) meaning() (title string, status int) {
	switch k {
	case ProblemInvalid:
		return "Invalid request", http.StatusBadRequest
	case ProblemUnknown:
		return "A token is needed", http.StatusUnauthorized
	case ProblemForbidden:
		return "Not permitted for this token", http.StatusForbidden
	case ProblemNotFound:
		return "Not found", http.StatusNotFound
	case ProblemMethod:
		return "Method not allowed", http.StatusMethodNotAllowed
	case ProblemConflict:
		return "Not possible in this state", http.StatusConflict
	case ProblemUnderWay:
		return "The first request with this key is in progress", http.StatusConflict
	case ProblemAnsweredOnce:
		return "The response is not stored", http.StatusConflict
	case ProblemChanged:
		return "Someone else changed this", http.StatusPreconditionFailed
	case ProblemTooLarge:
		return "The body is too large", http.StatusRequestEntityTooLarge
	case ProblemKeyReused:
		return "The key was used for another request", http.StatusUnprocessableEntity
	case ProblemUnavailable:
		return "The store is unavailable", http.StatusServiceUnavailable
	}
	return "Internal error", http.StatusInternalServerError
}
