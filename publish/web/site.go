package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// mounted is what the kit serves.
type mounted struct {
	Site
	mux   *http.ServeMux
	hosts map[string]string // of rooms: the name of the site
}

// Mount replaces what the kit serves. Requests that begin afterwards are served by these rooms. Patterns of other handlers may be longer
// than those of the rooms; put them behind Guard.
func (k *Kit) Mount(rooms ...Room) {
	m := &mounted{mux: http.NewServeMux(), hosts: make(map[string]string)}
	for _, room := range rooms {
		site := room.Site()
		m.Routes, m.Missing, m.Actions = append(m.Routes, site.Routes...), append(m.Missing, site.Missing...), append(m.Actions, site.Actions...)
		m.Nav, m.AdminNav = append(m.Nav, site.Nav...), append(m.AdminNav, site.AdminNav...)
		if site.SignIn != nil {
			m.SignIn = site.SignIn
		}
		for _, route := range site.Routes {
			if host := hostOf(route.Pattern); host != "" {
				m.hosts[host] = site.Name
			}
		}
	}
	for name := range k.assets {
		m.mux.Handle("GET /assets/"+name, k.compress(k.assets.serve(name)))
	}
	for _, route := range m.Routes {
		if route.Action != nil {
			for _, result := range []string{ResultOK, ResultRefused, ResultUnavailable, ResultError} {
				k.actions.WithLabelValues(route.Action.Name, result) // creates the series
			}
		}
		handler := k.handler(&route)
		if route.Lasts {
			handler = k.whileAdmitted(route.scope(), route.isAPI(), handler)
		}
		m.mux.Handle(route.Pattern, k.admit(route.scope(), route.isAPI(), route.Unknown, handler))
	}
	k.site.Store(m)
}

// navOf returns the links of the header to pages that a visitor may open; none without an account.
func (m *mounted) navOf(v *feed.Visitor) (nav []Link) {
	for _, link := range m.Nav {
		page := func(r Route) bool {
			return r.Pattern == "GET "+link.Path && (v.May(r.scope()) || v.Known() && r.scope() == Anyone)
		}
		if slices.ContainsFunc(m.Routes, page) {
			nav = append(nav, link)
		}
	}
	return nav
}

// openToAnyone reports whether a link leads to a page that needs no account.
func (m *mounted) openToAnyone(link Link) bool {
	return slices.ContainsFunc(m.Routes, func(r Route) bool {
		return r.Pattern == "GET "+link.Path && (r.scope() == Anyone || r.scope() == Public)
	})
}

// Routes returns every route of the rooms.
func (k *Kit) Routes() []Route { return k.site.Load().Routes }

// ServeHTTP serves pages, "/assets/" and "/api/v1/". A page loads nothing from elsewhere and cannot be framed.
func (k *Kit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; "+
		"form-action 'self'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, forms come from the origin "null"
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	site := k.site.Load()
	if _, own := site.ownHost(r); own {
		r.Host = strings.ToLower(r.Host) // as patterns have it
	}
	fallback, pattern := site.handlerOf(r)
	if pattern != "" {
		site.mux.ServeHTTP(w, r)
		return
	}
	k.serveMissing(w, r, fallback)
}

// handler serves a route to a visitor who may use it.
func (k *Kit) handler(route *Route) http.Handler {
	serve, answer := route.Serve, k.answerProblem
	if route.Action != nil {
		serve = func(w http.ResponseWriter, r *http.Request) error {
			return k.do(r, route.Action, func(r *http.Request) error { return route.Serve(w, r) })
		}
	}
	if route.Copied {
		serve = k.copied(route.isAPI(), serve)
	}
	switch {
	case !route.isAPI():
		answer = func(w http.ResponseWriter, r *http.Request, err error) { k.answerFailure(route, w, r, err) }
	case route.isSafe() && !route.Untagged:
		serve = tagged(serve)
	case route.Action != nil:
		serve = k.once(route, serve)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if !route.isAPI() {
			query = queryOf(r) // a notice may follow a form
		}
		if err := route.checkQuery(query); err != nil {
			answer(w, r, err)
			return
		}
		if !route.isSafe() {
			if body, ok := r.Body.(interface{ Holds(bytes int64) }); ok && route.streams(r) {
				body.Holds(route.Holds)
			}
			r.Body = limitBody(w, r, route.maxBody())
			if err := parseForm(route, r); err != nil {
				status, text := http.StatusBadRequest, "The form could not be read. Go back and send it again."
				if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
					status, text = http.StatusRequestEntityTooLarge, fmt.Sprintf("The form is larger than %d KiB. Go back and shorten it.", tooLarge.Limit>>10)
				}
				k.errorPage(w, r, status, text)
				return
			}
		}
		if err := serve(w, r); err != nil {
			answer(w, r, err)
		}
	})
}

// limitBody returns the body of a request, which ends with http.MaxBytesError after limit bytes. Nothing is read from a body that
// is declared to be longer.
func limitBody(w http.ResponseWriter, r *http.Request, limit int64) io.ReadCloser {
	if r.ContentLength > limit {
		return tooLargeBody{r.Body, limit}
	}
	return http.MaxBytesReader(w, r.Body, limit)
}

type tooLargeBody struct {
	io.Closer
	limit int64
}

func (b tooLargeBody) Read([]byte) (int, error) { return 0, &http.MaxBytesError{Limit: b.limit} }

// parseForm parses the form of a page. The API has none.
func parseForm(route *Route, r *http.Request) error {
	if route.isAPI() {
		return nil
	}
	return r.ParseForm()
}
