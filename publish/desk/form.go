package desk

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/feedwire/feedwire/store/feed"
)

// maxForm bounds what a form sends, in bytes.
const maxForm = 64 << 10

// errNoSession is for those who are known, but did not sign in with a password.
var errNoSession = fmt.Errorf("you have no account here: whoever let you in decides about that: %w", feed.ErrConflict)

// shown is a page that stays where something could not be done, with why; "": all is well.
type shown func(w http.ResponseWriter, r *http.Request, status int, problem string)

// form serves what people send by a form, counts it, and writes it to the audit log. Where it cannot be done, the page
// that the form is on says why.
func (d *Desk) form(a action, h handler, page shown) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			d.sorry(w, r, http.StatusBadRequest, "What was sent could not be read.")
			return
		}
		if err := d.do(a, h, w, r); err != nil {
			status, text := d.say(r, err)
			page(w, r, status, text)
		}
	}
}

// show serves a page that only shows something.
func (d *Desk) show(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			status, text := d.say(r, err)
			d.sorry(w, r, status, text)
		}
	}
}

// say tells people why something could not be done, and logs it where it is the daemon's fault.
func (d *Desk) say(r *http.Request, err error) (status int, text string) {
	var fields invalid
	var wait tooManyError
	switch {
	case errors.As(err, &wait):
		return http.StatusTooManyRequests, sentence(err.Error())
	case errors.As(err, &fields):
		return http.StatusUnprocessableEntity, sentence(fields[0].Reason)
	case errors.Is(err, feed.ErrInvalid):
		return http.StatusUnprocessableEntity, sentence(err.Error())
	case errors.Is(err, feed.ErrNotFound):
		text, _ = lost(r.URL.Path)
		return http.StatusNotFound, text
	case errors.Is(err, feed.ErrChanged):
		return http.StatusConflict, "Somebody else has changed this in the meantime. Look at it again, and decide anew."
	case errors.Is(err, feed.ErrConflict), errors.Is(err, feed.ErrExists):
		return http.StatusConflict, sentence(strings.TrimSuffix(err.Error(), ": "+feed.ErrConflict.Error()))
	}
	if r.Context().Err() == nil { // else nobody waits for the answer, and that is the error
		d.log(levelOf(err), r, err)
	}
	if errors.Is(err, feed.ErrUnavailable) {
		return http.StatusServiceUnavailable, "The store does not answer now. Nothing was lost; try again in a moment."
	}
	return http.StatusInternalServerError, "Something went wrong. The log of the daemon has the reason."
}

// sentence makes a sentence of the text of an error.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// sorryPage is a page that says one thing.
type sorryPage struct {
	frame
	Text string
	Code int
	Ways []way // on
}

// sorry answers with a page that says why there is no other.
func (d *Desk) sorry(w http.ResponseWriter, r *http.Request, status int, text string) {
	var ways []way
	if status == http.StatusNotFound {
		text, ways = lost(r.URL.Path)
	}
	d.answerSorry(w, r, status, text, ways)
}

func (d *Desk) answerSorry(w http.ResponseWriter, r *http.Request, status int, text string, ways []way) {
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	d.render(w, r, status, "sorry.html", sorryPage{d.frame(r, "feedwire", 0), text, status, append(ways, way{"/", "The overview"})})
}

// done is what a page says after its form was sent, by the word in its query.
func done(r *http.Request) string {
	switch r.URL.Query().Get("done") {
	case "out":
		return "You are signed out."
	case "everywhere":
		return "You are signed out everywhere."
	case "password":
		return "The password is changed. Your other sessions have ended."
	case "session":
		return "That session has ended."
	case "role":
		return "The role is changed; it holds from the next request on."
	case "disabled":
		return "The account is disabled, and its sessions have ended."
	case "enabled":
		return "The account is enabled again."
	case "revoked":
		return "The token is revoked; it opens nothing any more."
	}
	return ""
}

// logRefused tells an operator of a sign-in that was refused.
func (d *Desk) logRefused(r *http.Request, name, why string) {
	d.opts.Logger.LogAttrs(r.Context(), slog.LevelWarn, "sign-in refused", slog.String("account", cutTo(name, feed.MaxName)),
		slog.String("from", d.address(r)), slog.String("reason", why))
}
