package desk

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/feedwire/feedwire/store/feed"
)

// Guard lets through requests of those whom a scope is given: by a token of the API ("Authorization: Bearer <token>", RFC 6750
// section 2.1), or signed in. Others get 401 or 403. Whatever else is mounted below /api/v1/ belongs behind it, and what
// operators do.
func (d *Desk) Guard(scope feed.Scope, next http.Handler) http.Handler {
	may := func(*http.Request) feed.Scope { return scope }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d := d.latest.Load()
		d.admit(may, d.visitorOfAPI, refuseAPI, next).ServeHTTP(w, r)
	})
}

// guardAPI guards the routes of the API.
func (d *Desk) guardAPI(mux *http.ServeMux) http.Handler {
	needed := func(r *http.Request) feed.Scope {
		_, pattern := mux.Handler(r)
		if pattern == "" {
			return oneself // who is known is told that there is nothing
		}
		scope, _ := needOf(pattern)
		return scope
	}
	return d.admit(needed, d.visitorOfAPI, refuseAPI, routed(mux, noRoute))
}

// guardPages guards the pages.
func (d *Desk) guardPages(mux *http.ServeMux) http.Handler {
	needed := func(r *http.Request) feed.Scope {
		_, pattern := mux.Handler(r)
		if pattern == "" {
			return anyone // who is told that there is nothing
		}
		scope, _ := needOf(pattern)
		return scope
	}
	return d.admit(needed, d.visitorOfPages, d.refusePage, routed(mux, d.noPage))
}

// refusal is why a request was not let through.
type refusal struct {
	status int
	text   string
	err    error // of the store; nil: it is the visitor's turn
}

// admit lets a request through that comes from somebody who may do what it needs, and lets next know who that is.
func (d *Desk) admit(
	needed func(*http.Request) feed.Scope, visitorOf func(*http.Request) (visitor, error),
	refuse func(http.ResponseWriter, *http.Request, refusal), next http.Handler,
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := visitorOf(r)
		named := r.WithContext(context.WithValue(r.Context(), visitorKey{}, v))
		defer func() { r.Pattern = named.Pattern }() // for those who count by it
		need := needed(r)
		switch {
		case !v.byToken && d.origin.Check(r) != nil:
			refuse(w, named, refusal{status: http.StatusForbidden, text: "The request came from a page of another site, so nothing was done."})
		case need == anyone && (err == nil || errors.Is(err, feed.ErrUnavailable)):
			next.ServeHTTP(w, named)
		case err != nil:
			d.log(levelOf(err), r, err)
			refuse(w, named, refusal{status: http.StatusServiceUnavailable, text: "The store cannot be reached, so nobody can be known. Feeds go on being served from the last good copy.", err: err})
		case !v.known():
			refuse(w, named, refusal{status: http.StatusUnauthorized})
		case need != oneself && !feed.Allow(v.scopes, need):
			refuse(w, named, refusal{status: http.StatusForbidden, text: v.name + " may not do this: it needs the scope " + string(need) + "."})
		default:
			next.ServeHTTP(w, named)
		}
	})
}

// refuseAPI answers with a problem.
func refuseAPI(w http.ResponseWriter, r *http.Request, why refusal) {
	kind := feed.ProblemForbidden
	switch {
	case why.err != nil:
		kind = feed.ProblemUnavailable
		w.Header().Set("Retry-After", "5")
	case why.status == http.StatusUnauthorized:
		kind = feed.ProblemUnknown
		w.Header().Set("WWW-Authenticate", `Bearer realm="feedwire API"`)
		why.text = "send a token of the API as \"Authorization: Bearer <token>\": one that feedwire token create made, or api.token " +
			"of the configuration, which is else in the file token of the data directory"
	}
	writeProblem(w, kind.Problem(r, why.text))
}

// refusePage sends whoever is not known to sign in and come back, and tells others why.
func (d *Desk) refusePage(w http.ResponseWriter, r *http.Request, why refusal) {
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case why.status != http.StatusUnauthorized:
		d.sorry(w, r, why.status, why.text)
	case safe:
		http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
	default:
		page := loginPage{Next: pageOf(r.URL.Path), Kept: keptOf(w, r)}
		page.Problem = "You were signed out meanwhile, so what you sent was not saved. Sign in, and send it again."
		if page.Kept.Path != "" {
			page.Problem = "You were signed out meanwhile, so what you sent was not saved. It is kept here: sign in, and send it then."
		}
		d.showLogin(w, r, http.StatusUnauthorized, page)
	}
}
