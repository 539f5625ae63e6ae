package feed

import "net/http"

// Problem is an error as the API answers it (RFC 9457), media type application/problem+json.
type Problem struct {
	Type     string       `json:"type"`               // problemPage and a ProblemKind: which kind of problem it is
	Title    string       `json:"title"`              // of that kind
	Status   int          `json:"status"`             // of the HTTP answer
	Detail   string       `json:"detail,omitempty"`   // what was wrong with this request, and the way out
	Instance string       `json:"instance,omitempty"` // the path of the request
	Errors   []FieldError `json:"errors,omitempty"`   // by field, where fields are to blame
}

// FieldError names one field or parameter of a request and what is wrong with it.
type FieldError struct {
	Field  string `json:"field"`
	Reason string `json:"reason"`
}

// ProblemType is the media type of a Problem.
const ProblemType = "application/problem+json"

// problemPage is the page that tells of each kind of problem.
const problemPage = "https://github.com/feedwire/feedwire/blob/main/docs/problems.md#"

// ProblemKind is a kind of problem: the last part of its type. Programs may rely on it.
type ProblemKind string

// The kinds.
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

// ProblemKinds lists all kinds, by their status.
func ProblemKinds() []ProblemKind {
	return []ProblemKind{
		ProblemInvalid, ProblemUnknown, ProblemForbidden, ProblemNotFound, ProblemMethod, ProblemConflict, ProblemUnderWay,
		ProblemAnsweredOnce, ProblemChanged, ProblemTooLarge, ProblemKeyReused, ProblemInternal, ProblemUnavailable,
	}
}

// Problem is one of this kind that happened to a request.
func (k ProblemKind) Problem(r *http.Request, detail string, fields ...FieldError) Problem {
	title, status := k.meaning()
	return Problem{
		Type: problemPage + string(k), Title: title, Status: status, Detail: detail, Instance: r.URL.EscapedPath(), Errors: fields,
	}
}

func (k ProblemKind) meaning() (title string, status int) {
	switch k {
	case ProblemInvalid:
		return "The request cannot be used", http.StatusBadRequest
	case ProblemUnknown:
		return "A token is needed", http.StatusUnauthorized
	case ProblemForbidden:
		return "This may not be done with this token", http.StatusForbidden
	case ProblemNotFound:
		return "There is no such thing", http.StatusNotFound
	case ProblemMethod:
		return "This path does not take this method", http.StatusMethodNotAllowed
	case ProblemConflict:
		return "Not possible in this state", http.StatusConflict
	case ProblemUnderWay:
		return "The first request with this key is under way", http.StatusConflict
	case ProblemAnsweredOnce:
		return "The answer was given once, and is not kept", http.StatusConflict
	case ProblemChanged:
		return "Changed since it was read", http.StatusPreconditionFailed
	case ProblemTooLarge:
		return "The body is too large", http.StatusRequestEntityTooLarge
	case ProblemKeyReused:
		return "The key was used for another request", http.StatusUnprocessableEntity
	case ProblemUnavailable:
		return "The store does not answer", http.StatusServiceUnavailable
	}
	return "A fault of the daemon", http.StatusInternalServerError
}
