package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxBody      = 1 << 20 // bytes
	defaultLimit = 50
	maxLimit     = 200
)

// decode reads a JSON body into v. Unknown fields, wrong types and anything after the value are refused, by name where
// one is known.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil {
		switch _, err = dec.Token(); {
		case errors.Is(err, io.EOF):
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
		return wrong(typed.Field, fmt.Sprintf("got a JSON %s, want %s", typed.Value, jsonKind(typed.Type.Kind().String())))
	case isUnknown:
		return wrong(strings.Trim(unknown, `"`), "there is no such field")
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w body: it is empty, want a JSON object", feed.ErrInvalid)
	}
	return fmt.Errorf("%w body: %w", feed.ErrInvalid, err)
}

// jsonKind puts a kind of Go into words of JSON.
func jsonKind(kind string) string {
	if kind == "slice" {
		return "a list"
	}
	return "a " + kind
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

// number reads a whole number in bounds from the query.
func number(r *http.Request, name string, otherwise, low, high int) (int, error) {
	s := r.URL.Query().Get(name)
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < low || n > high {
		return 0, wrong(name, fmt.Sprintf("use a whole number from %d to %d", low, high))
	}
	return n, nil
}

// withContent reads whether a list is wanted with the texts of its posts, which make it large.
func withContent(r *http.Request) (bool, error) {
	n, err := number(r, "content", 0, 0, 1)
	return n == 1, err
}

func limit(r *http.Request) (int, error) { return number(r, "limit", defaultLimit, 1, maxLimit) }

// list is a page whose items are never null.
func list[T any](items []T, next string) feed.Page[T] {
	if items == nil {
		items = []T{}
	}
	return feed.Page[T]{Items: items, Next: next}
}
