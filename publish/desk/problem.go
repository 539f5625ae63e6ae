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

// errAnsweredOnce is for a repetition of a request whose answer is not kept.
var errAnsweredOnce = errors.New("this request was carried out before, and what it answered was told then only; " +
	"look at the list, and take back or reset what it made where the answer is lost")

// fail answers a request that could not be done.
func (d *Desk) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := d.problem(r, err)
	switch {
	case p.Status >= http.StatusInternalServerError && r.Context().Err() != nil:
		return // nobody waits for the answer
	case p.Status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "5")
	}
	writeProblem(w, p)
}

// problem tells why a request could not be done. What the store says of things that people name goes out; what it says of
// itself goes to the log.
func (d *Desk) problem(r *http.Request, err error) feed.Problem {
	var fields invalid
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return feed.ProblemTooLarge.Problem(r, fmt.Sprintf("the body is larger than %d MiB", tooLarge.Limit>>20))
	case errors.As(err, &fields):
		return feed.ProblemInvalid.Problem(r, err.Error(), fields...)
	}
	for _, known := range []struct {
		err  error
		kind feed.ProblemKind
	}{
		{feed.ErrInvalid, feed.ProblemInvalid}, {feed.ErrNotFound, feed.ProblemNotFound},
		{feed.ErrChanged, feed.ProblemChanged}, {feed.ErrConflict, feed.ProblemConflict}, {feed.ErrExists, feed.ProblemConflict},
		{feed.ErrKeyReused, feed.ProblemKeyReused}, {feed.ErrUnderWay, feed.ProblemUnderWay},
		{errAnsweredOnce, feed.ProblemAnsweredOnce},
	} {
		if errors.Is(err, known.err) {
			return known.kind.Problem(r, err.Error())
		}
	}
	if r.Context().Err() == nil {
		d.log(levelOf(err), r, err)
	}
	if errors.Is(err, feed.ErrUnavailable) {
		return feed.ProblemUnavailable.Problem(r, "the store did not answer; what was asked for may or may not have been done; "+
			"repeating the request with the same Idempotency-Key is safe")
	}
	return feed.ProblemInternal.Problem(r, "internal error; the log of the daemon has the reason")
}

func (d *Desk) log(level slog.Level, r *http.Request, err error) {
	d.opts.Logger.Log(r.Context(), level, "request failed", "route", r.Pattern, "err", err)
}

// writeProblem answers with a problem.
func writeProblem(w http.ResponseWriter, p feed.Problem) {
	w.Header().Set("Content-Type", feed.ProblemType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}

// noRoute answers with a problem where there is nothing at a path, or it takes other methods.
func noRoute(w http.ResponseWriter, r *http.Request, allow string) {
	if allow != "" {
		w.Header().Set("Allow", allow)
		writeProblem(w, feed.ProblemMethod.Problem(r, "this path takes "+allow))
		return
	}
	writeProblem(w, feed.ProblemNotFound.Problem(r, "there is nothing at this path"))
}
