package feed

import "strings"

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
