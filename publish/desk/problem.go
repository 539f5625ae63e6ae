package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// invalid is what is wrong with a request, by field. It is a feed.ErrInvalid.
type invalid []feed.FieldError

func (v invalid) Error() string {
	reasons := make([]string, len(v))
	for i, f := range v {
		reasons[i] = f.Field + ": " + f.Reason
	}
	return strings.Join(reasons, "; ")
}

func (v invalid) Is(target error) bool { return target == feed.ErrInvalid }

// wrong is one invalid field.
func wrong(field, reason string) error { return invalid{{Field: field, Reason: reason}} }

// fail answers a request that could not be done. What the store says of things that people name goes out; what it says
// of itself goes to the log.
func (d *Desk) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := feed.Problem{Detail: err.Error()}
	var fields invalid
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		p.Status, p.Detail = http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d MiB", tooLarge.Limit>>20)
	case errors.As(err, &fields):
		p.Status, p.Errors = http.StatusBadRequest, fields
	case errors.Is(err, feed.ErrInvalid):
		p.Status = http.StatusBadRequest
	case errors.Is(err, feed.ErrNotFound):
		p.Status = http.StatusNotFound
	case errors.Is(err, feed.ErrConflict), errors.Is(err, feed.ErrExists):
		p.Status = http.StatusConflict
	case r.Context().Err() != nil:
		return // nobody waits for the answer
	case errors.Is(err, feed.ErrUnavailable):
		d.log(slog.LevelWarn, r, err)
		p.Status = http.StatusServiceUnavailable
		p.Detail = "the store did not answer; what was asked for may or may not have been done; " +
			"repeating the request with the same Idempotency-Key is safe"
		w.Header().Set("Retry-After", "5")
	default:
		d.log(slog.LevelError, r, err)
		p.Status, p.Detail = http.StatusInternalServerError, "internal error; the log of the daemon has the reason"
	}
	writeProblem(w, p)
}

func (d *Desk) log(level slog.Level, r *http.Request, err error) {
	d.opts.Logger.Log(r.Context(), level, "request failed", "route", r.Pattern, "err", err)
}

// writeProblem completes a problem from its status and answers with it.
func writeProblem(w http.ResponseWriter, p feed.Problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	w.Header().Set("Content-Type", feed.ProblemType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}

// problems answers with a problem where the mux itself would answer: unknown paths and methods.
func problems(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		verdict := &statusOnly{header: make(http.Header)}
		own.ServeHTTP(verdict, r)
		p := feed.Problem{Status: http.StatusNotFound, Detail: "there is nothing at this path"}
		if allow := verdict.header.Get("Allow"); allow != "" {
			w.Header().Set("Allow", allow)
			p = feed.Problem{Status: http.StatusMethodNotAllowed, Detail: "this path takes " + allow}
		}
		writeProblem(w, p)
	})
}

// statusOnly takes the headers of an answer and drops the rest.
type statusOnly struct{ header http.Header }

func (s *statusOnly) Header() http.Header         { return s.header }
func (s *statusOnly) Write(b []byte) (int, error) { return len(b), nil }
func (s *statusOnly) WriteHeader(int)             {}
