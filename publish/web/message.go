package web

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// MaxForm bounds a form, in bytes.
const MaxForm = 64 << 10

// Message returns the status and the text of a page for an error. Details of internal errors go to the log only.
func (k *Kit) Message(r *http.Request, err error) (status int, text string) {
	var fields feed.FieldErrors
	var wait interface{ RetryAfter() time.Duration }
	switch {
	case errors.As(err, &wait):
		return http.StatusTooManyRequests, "Too many attempts failed. Try again in " + Length(wait.RetryAfter()) + "."
	case errors.As(err, &fields):
		return http.StatusUnprocessableEntity, Sentence(fields[0].Reason)
	case errors.Is(err, feed.ErrInvalid):
		return http.StatusUnprocessableEntity, Sentence(err.Error())
	case errors.Is(err, feed.ErrNotFound):
		text, _ = k.missing(r.URL.Path)
		return http.StatusNotFound, text
	case errors.Is(err, feed.ErrChanged):
		return http.StatusConflict, "Someone else changed this. Review it and decide again."
	case errors.Is(err, feed.ErrConflict), errors.Is(err, feed.ErrExists):
		return http.StatusConflict, Sentence(strings.TrimSuffix(err.Error(), ": "+feed.ErrConflict.Error()))
	}
	k.logError(r, err)
	if errors.Is(err, feed.ErrUnavailable) {
		return http.StatusServiceUnavailable, "The store cannot answer now. Nothing was lost. Try again in a moment."
	}
	return http.StatusInternalServerError, "Internal error. See the log of the daemon."
}

// Excuse returns the status and the headline of a page whose content cannot be read.
func (k *Kit) Excuse(r *http.Request, err error) (status int, text string) {
	k.logError(r, err)
	if errors.Is(err, feed.ErrUnavailable) {
		return http.StatusServiceUnavailable,
			"The store cannot be reached. Feeds are served from the last good copy. Polling pauses until the store is back."
	}
	return http.StatusInternalServerError, "This page cannot be read. See the log of the daemon."
}

// errorView is the data of error.html.
type errorView struct {
	Frame
	Text  string
	Code  int
	Links []Link
}

// ErrorPage answers with a page that shows a text. For status 404 the text says what is missing.
func (k *Kit) ErrorPage(w http.ResponseWriter, r *http.Request, status int, text string) {
	var links []Link
	if status == http.StatusNotFound {
		text, links = k.missing(r.URL.Path)
	}
	k.errorPage(w, r, status, text, links)
}

func (k *Kit) errorPage(w http.ResponseWriter, r *http.Request, status int, text string, links []Link) {
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	(&Pages{k, k.layout}).Render(w, r, status, "error.html", errorView{k.Frame(r, "feedwire", 0), text, status, append(links, Link{"/", "The overview"})})
}
