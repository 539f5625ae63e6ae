package web

import (
	"net/http"
	"strings"
)

// Serve returns the handler of a site. Patterns of other handlers may be longer than those of the site; mount them behind Guard.
func (k *Kit) Serve(site Site) http.Handler {
	site.Routes = append(k.assetRoutes(), site.Routes...)
	mux := http.NewServeMux()
	for i := range site.Routes {
		route := &site.Routes[i]
		if route.Action != nil {
			k.metrics.prepare(route.Action)
		}
		mux.Handle(route.Pattern, k.admit(route.scope(), route.isAPI(), k.handler(route)))
	}
	k.site.Store(&site)
	return secured(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		k.serveMissing(w, r, allowed(own, r))
	}))
}

// handler serves a route to a visitor who may use it.
func (k *Kit) handler(route *Route) http.Handler {
	if !route.isAPI() {
		return k.page(route)
	}
	h := route.Serve
	if route.isSafe() && !route.Untagged {
		h = tagged(h)
	} else if route.Action != nil {
		h = k.once(route, func(w http.ResponseWriter, r *http.Request) error { return k.Do(route.Action, route.Serve, w, r) })
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			k.answerProblem(w, r, err)
		}
	})
}

// page serves a page or a form.
func (k *Kit) page(route *Route) http.Handler {
	failed := route.Failed
	if failed == nil {
		failed = k.ErrorPage
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !route.isSafe() {
			r.Body = http.MaxBytesReader(w, r.Body, route.maxBody())
			if err := r.ParseForm(); err != nil {
				k.ErrorPage(w, r, http.StatusBadRequest, "The form could not be read. Go back and send it again.")
				return
			}
		}
		var err error
		if route.Action != nil {
			err = k.Do(route.Action, route.Serve, w, r)
		} else {
			err = route.Serve(w, r)
		}
		if err != nil {
			status, text := k.Message(r, err)
			failed(w, r, status, text)
		}
	})
}

// allowed returns the methods of the path of a request, as the fallback handler of a mux reports them.
func allowed(fallback http.Handler, r *http.Request) string {
	rec := headerRecorder(make(http.Header))
	fallback.ServeHTTP(rec, r)
	return http.Header(rec).Get("Allow")
}

// headerRecorder records the header of a response and drops the rest.
type headerRecorder http.Header

func (h headerRecorder) Header() http.Header         { return http.Header(h) }
func (h headerRecorder) Write(b []byte) (int, error) { return len(b), nil }
func (h headerRecorder) WriteHeader(int)             {}

// secured sets the headers of every response: a page loads nothing from elsewhere and cannot be framed.
func secured(next http.Handler) http.Handler {
	policy := strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "connect-src 'self'", "style-src 'self'", "img-src 'self'", "base-uri 'none'", "form-action 'self'",
		"frame-ancestors 'none'",
	}, "; ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // with no-referrer, forms come from the origin "null"
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		next.ServeHTTP(w, r)
	})
}
