package feed

// Problem is an error as the API answers it (RFC 9457), media type application/problem+json.
type Problem struct {
	Type   string       `json:"type"`             // "about:blank": the title is that of the status
	Title  string       `json:"title"`            //
	Status int          `json:"status"`           // of the HTTP answer
	Detail string       `json:"detail,omitempty"` // what was wrong with this request, and the way out
	Errors []FieldError `json:"errors,omitempty"` // by field, where fields are to blame
}

// FieldError names one field or parameter of a request and what is wrong with it.
type FieldError struct {
	Field  string `json:"field"`
	Reason string `json:"reason"`
}

// ProblemType is the media type of a Problem.
const ProblemType = "application/problem+json"
