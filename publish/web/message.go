package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// MaxForm bounds a form, in bytes.
const MaxForm = 64 << 10

// emptied says why pages have no content after the store lost its data.
const emptied = "The data of this installation is gone from the store until a backup is restored or the daemon is restarted."

// Message returns the status and the text of a page for an error. Details of internal errors go to the log only.
func (k *Kit) Message(r *http.Request, err error) (status int, text string) {
	var fields feed.FieldErrors
	switch {
	case errors.As(err, &fields):
		return http.StatusUnprocessableEntity, Sentence(fields[0].Reason)
	case errors.Is(err, feed.ErrInvalid), errors.Is(err, feed.ErrUnusable):
		return http.StatusUnprocessableEntity, Sentence(err.Error())
	case errors.Is(err, feed.ErrNotFound):
		text, _ = k.missing(r.URL.Path)
		return http.StatusNotFound, text
	case errors.Is(err, feed.ErrForbidden):
		return http.StatusForbidden, Sentence(err.Error())
	case errors.Is(err, feed.ErrGone):
		return http.StatusGone, "This was removed."
	case errors.Is(err, feed.ErrChanged):
		return http.StatusConflict, "Someone else changed this. Review it and decide again."
	case errors.Is(err, feed.ErrConflict), errors.Is(err, feed.ErrExists):
		return http.StatusConflict, Sentence(strings.TrimSuffix(err.Error(), ": "+feed.ErrConflict.Error()))
	}
	if closed, ok := errors.AsType[*feed.VotingClosedError](err); ok {
		return http.StatusConflict, Sentence(closedText(closed))
	}
	if quota, ok := errors.AsType[*feed.QuotaError](err); ok {
		return http.StatusTooManyRequests, Sentence(quota.Reason) + " Try again in " + Length(quota.Wait) + "."
	}
	k.logError(r, err)
	if errors.Is(err, feed.ErrFull) {
		return http.StatusServiceUnavailable, "The store has reached the limit of its memory and refuses changes. Nothing was lost. " +
			"Old data expires within minutes; if this lasts, ask the operator to raise the limit."
	}
	if errors.Is(err, feed.ErrEmptied) {
		return http.StatusServiceUnavailable, emptied + " Nothing was changed."
	}
	if errors.Is(err, feed.ErrUnavailable) {
		return http.StatusServiceUnavailable, "The store cannot answer now. Nothing was lost. Try again in a moment."
	}
	if d, ok := errors.AsType[damage](err); ok {
		return http.StatusInternalServerError, Sentence(d.Error())
	}
	return http.StatusInternalServerError, "Internal error. See the log of the daemon."
}

// Excuse returns the status and the headline of a page whose content cannot be read.
func (k *Kit) Excuse(r *http.Request, err error) (status int, text string) {
	k.logError(r, err)
	if errors.Is(err, feed.ErrEmptied) {
		return http.StatusServiceUnavailable, emptied + " Feeds are served from the last good copy."
	}
	if errors.Is(err, feed.ErrUnavailable) {
		return http.StatusServiceUnavailable,
			"The store cannot be reached. Feeds are served from the last good copy. Polling pauses until the store is back."
	}
	if d, ok := errors.AsType[damage](err); ok {
		return http.StatusInternalServerError, Sentence(d.Error())
	}
	return http.StatusInternalServerError, "This page cannot be read. See the log of the daemon."
}

// failure is why a form failed.
type failure struct {
	status int // 0: it did not fail
	text   string
}

type failureKey struct{}

func failureOf(r *http.Request) failure {
	f, _ := r.Context().Value(failureKey{}).(failure)
	return f
}

// FailedWith returns the status of the form that a request holds if it failed, else 0. Then the page shows the form again.
func FailedWith(r *http.Request) int { return failureOf(r).status }

// FailedBecause returns why the request of Route.Failed failed, as a text for people.
func FailedBecause(r *http.Request) string { return failureOf(r).text }

// answerFailure answers a page or form that failed, with the page of the form if it has one.
func (k *Kit) answerFailure(route *Route, w http.ResponseWriter, r *http.Request, err error) {
	var wait interface{ RetryAfter() time.Duration }
	var f failure
	if errors.As(err, &wait) {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait.RetryAfter().Seconds())))
		f = failure{http.StatusTooManyRequests, "Too many attempts failed. Try again in " + Length(wait.RetryAfter()) + "."}
	} else {
		f.status, f.text = k.Message(r, err)
		setQuota(w, err)
	}
	if route.Failed == nil || route.Failed(w, r.WithContext(context.WithValue(r.Context(), failureKey{}, f))) != nil {
		k.errorPage(w, r, f.status, f.text)
	}
}

// errorView is the data of error.html.
type errorView struct {
	Frame
	Text  string
	Links []Link
}

// errorPage answers with a page that shows a text, with links to what exists if the status is 404: for strangers,
// only to pages that anyone may open.
func (k *Kit) errorPage(w http.ResponseWriter, r *http.Request, status int, text string) {
	v := VisitorOf(r)
	inside := v.Known() || v.Open
	var links []Link
	switch status {
	case http.StatusNotFound:
		_, links = k.missing(r.URL.Path)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "5")
	}
	if inside {
		links = append(links, Link{"/", "The overview"})
	} else {
		links = slices.DeleteFunc(links, func(l Link) bool { return !k.site.Load().openToAnyone(l) })
	}
	render := func() []byte {
		return k.errors.page(new(bytes.Buffer), r, "error.html", &errorView{Frame{Status: status}, text, links})
	}
	if inside || status == http.StatusNotFound {
		k.send(w, r, status, render())
		return
	}
	name, _ := k.site.Load().ownHost(r) // the page shows it
	k.send(w, r, status, k.refusals.page(k.Now(), r.Method+" "+strconv.Itoa(status)+" "+name+" "+text, render))
}

// refusals are the pages of errors for visitors who are not known. They show status, text and time, so each is rendered once per second,
// however many requests an attacker sends.
type refusals struct {
	mu     sync.Mutex
	second int64
	pages  map[string][]byte
}

const maxRefusals = 100 // pages of a second

// page returns the page with a key, which render renders.
func (s *refusals) page(now time.Time, key string, render func() []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if second := now.Unix(); s.second != second || len(s.pages) >= maxRefusals {
		s.second, s.pages = second, make(map[string][]byte)
	}
	if s.pages[key] == nil {
		s.pages[key] = render()
	}
	return s.pages[key]
}
