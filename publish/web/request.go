package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

const maxJSON = 1 << 20 // bytes

// ReadBody returns the body. feed.ErrInvalid: the client stopped before its end.
func ReadBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if _, ok := errors.AsType[*http.MaxBytesError](err); err != nil && !ok {
		err = fmt.Errorf("%w body: it is incomplete: %w", feed.ErrInvalid, err)
	}
	return body, err
}

// FormOverhead is how many bytes the body of a form has at most beside its file.
const FormOverhead = 64 << 10

// FormFile returns the file in a field of a form, and its media type. feed.ErrInvalid: there is none, or it has more bytes than limit.
// missing says what to choose.
func FormFile(r *http.Request, field string, limit int64, missing string) (content []byte, contentType string, err error) {
	tooLarge := feed.Invalid(field, fmt.Sprintf("the file is larger than %d MiB", limit>>20))
	file, header, err := r.FormFile(field)
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, "", tooLarge
		}
		return nil, "", feed.Invalid(field, missing)
	}
	defer r.MultipartForm.RemoveAll() //nolint:errcheck // the system removes temporary files, too
	defer file.Close()                //nolint:errcheck // it was only read
	if header.Size > limit {
		return nil, "", tooLarge
	}
	content = make([]byte, header.Size)
	if _, err := io.ReadFull(file, content); err != nil {
		return nil, "", feed.Invalid(field, "the file could not be read; send it again")
	}
	r.MultipartForm.File = nil // the form has another copy
	return content, header.Header.Get("Content-Type"), nil
}

// embedded matches the Go name of an embedded struct in the path of a field. Members begin with a lower-case letter.
var embedded = regexp.MustCompile(`\b[A-Z]\w*\.`)

// Decode reads a JSON body into v. It refuses unknown and repeated fields, wrong types and anything after the value, and names the field.
func Decode(r *http.Request, v any) error {
	var read bytes.Buffer
	dec := json.NewDecoder(io.TeeReader(r.Body, &read))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil {
		switch _, err = dec.Token(); {
		case errors.Is(err, io.EOF):
			if key := repeatedKey(read.Bytes()); key != "" {
				return feed.Invalid(key, "this field is repeated")
			}
			return nil
		case err == nil:
			err = errors.New("more than one value")
		}
	}
	var tooLarge *http.MaxBytesError
	var typed *json.UnmarshalTypeError
	unknown, isUnknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	switch {
	case errors.As(err, &tooLarge):
		return err
	case errors.As(err, &typed) && typed.Field == "":
		return fmt.Errorf("%w body: got a JSON %s, want a JSON object", feed.ErrInvalid, typed.Value)
	case typed != nil:
		return feed.Invalid(embedded.ReplaceAllString(typed.Field, ""), fmt.Sprintf("got a JSON %s, want %s", typed.Value, jsonKind(typed.Type.Kind().String())))
	case isUnknown:
		return feed.Invalid(strings.Trim(unknown, `"`), "this field does not exist")
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w body: it is empty, want a JSON object", feed.ErrInvalid)
	}
	return fmt.Errorf("%w body: %w", feed.ErrInvalid, err)
}

// Input decodes the request body into v, a struct of strings and lists of strings. The body is JSON from an API client, or a form of a
// page, whose fields have the names of the JSON members.
func Input(r *http.Request, v any) error {
	if r.PostForm == nil {
		return Decode(r, v)
	}
	into := reflect.ValueOf(v).Elem()
	for i := range into.NumField() {
		values := r.PostForm[into.Type().Field(i).Tag.Get("json")]
		switch field := into.Field(i); {
		case len(values) == 0:
		case field.Kind() == reflect.Slice:
			for _, value := range values {
				field.Set(reflect.Append(field, reflect.ValueOf(value).Convert(field.Type().Elem())))
			}
		case field.Kind() == reflect.Pointer:
			field.Set(reflect.ValueOf(&values[0]))
		default:
			field.SetString(values[0])
		}
	}
	return nil
}

// jsonKind names a Go kind in JSON terms.
func jsonKind(kind string) string {
	if kind == "slice" {
		return "a list"
	}
	return "a " + kind
}
