package desk

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// Guard lets through requests that show the token of the API: "Authorization: Bearer <token>" (RFC 6750 section 2.1).
// Others get 401. Whatever else is mounted below /api/v1/ belongs behind it.
func (d *Desk) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.showsToken(r) {
			next.ServeHTTP(w, r)
			return
		}
		d.opts.OnAuthFailure("token")
		w.Header().Set("WWW-Authenticate", `Bearer realm="feedwire API"`)
		writeProblem(w, feed.Problem{
			Status: http.StatusUnauthorized,
			Detail: "send the API token as \"Authorization: Bearer <token>\"; it is api.token of the configuration, or else in the file token of the data directory",
		})
	})
}

// showsToken reports whether a request has the token, as RFC 6750 has it.
func (d *Desk) showsToken(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && d.knows(strings.TrimSpace(token))
}

// Trusts reports whether a request shows the token of the API, as Guard wants it or as the password of HTTP Basic.
func (d *Desk) Trusts(r *http.Request) bool {
	_, password, given := r.BasicAuth()
	return d.showsToken(r) || given && d.knows(password)
}

// guardPages lets through whoever may see the pages: those to whom they are open, and those who give the token as the
// password of HTTP Basic, under any name.
func (d *Desk) guardPages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, given := r.BasicAuth()
		if d.opts.OpenPages(r) || (given && d.knows(password)) {
			next.ServeHTTP(w, r)
			return
		}
		if given { // a browser asks without a password first, which is no failure
			d.opts.OnAuthFailure("basic")
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="feedwire, the password is the API token", charset="UTF-8"`)
		http.Error(w, "These pages need a password: the API token, with any user name.", http.StatusUnauthorized)
	})
}

// knows compares a token in constant time; sums, because the length would show otherwise.
func (d *Desk) knows(token string) bool {
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(d.opts.Token))
	return d.opts.Token != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
