package web

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/feedwire/feedwire/store/feed"
)

// Reply returns a handler that answers with the result of f as JSON.
func Reply[T any](status int, f func(*http.Request) (T, error)) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		result, err := f(r)
		if err == nil {
			JSON(w, status, result)
		}
		return err
	}
}

// Done returns a handler that does something and answers with 204.
func Done(do func(*http.Request) error) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := do(r)
		if err == nil {
			w.WriteHeader(http.StatusNoContent)
		}
		return err
	}
}

// JSON writes a value as JSON.
func JSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

// Download sends a file of that name, which write writes.
func (k *Kit) Download(w http.ResponseWriter, contentType, name string, write func(io.Writer) error) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	if err := write(w); err != nil { // the client closed the connection
		k.Logger.Debug("download interrupted", "file", name, "err", err)
	}
}

// List returns a page whose items are never null.
func List[T any](items []T, next string) feed.Page[T] {
	if items == nil {
		items = []T{}
	}
	return feed.Page[T]{Items: items, Next: next}
}

// Part returns a page of items that were read with a limit. If there are as many, the key of the last one continues the list.
func Part[T any](items []T, limit int, key func(*T) string) feed.Page[T] {
	if len(items) < limit {
		return List(items, "")
	}
	return List(items, key(&items[limit-1]))
}
