package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/feedwire/feedwire/cmd/feedwire/doctor"
	"github.com/feedwire/feedwire/publish/readers"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// routes returns the URL map of the daemon.
func (a *app) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(feedRoute, a.publisher)
	mux.HandleFunc(feedRoute+"/{article}", a.publisher.ServeArticle)
	mux.Handle("/sources/{id}/feed.rss", a.republish)
	mux.Handle("/sources/{id}/feed.atom", a.republish)
	mux.Handle("/sources/{id}/feed.json", a.republish)
	mux.HandleFunc("GET "+listRoute, a.serveList)
	mux.Handle("/push/{token}", a.pushed)
	mux.Handle("/hub", a.front)
	mux.HandleFunc("GET "+doctor.ProofPath, a.serveProof)
	mux.Handle("/", a.kit)
	mux.Handle("/api/v1/events", a.kit.GuardStream(feed.ScopeRead, a.events))
	if a.admin == nil {
		a.operations(mux)
		mux.Handle("POST /-/reload", a.kit.Guard(feed.ScopeAdmin, http.HandlerFunc(a.serveReload)))
	}
	return a.observed(mux, a.publisher.At)
}

// Patterns of outgoing feeds, of the pages of lists, and the name of that of their feeds.
const (
	feedRoute     = "/feed/{type}"
	listRoute     = "/lists/{list}"
	listFeedRoute = "/lists/{list}.{format}"
)

// serveList serves the page of a list or one of its feeds, whose path ends with a format. A pattern cannot tell them apart.
func (a *app) serveList(w http.ResponseWriter, r *http.Request) {
	if _, format := feed.CutListFormat(r.PathValue("list")); format == "" {
		a.kit.ServeHTTP(w, r)
		return
	}
	r.Pattern = listFeedRoute // for metrics
	a.republish.ServeList(w, r)
}

// adminRoutes returns the routes of the admin listener.
func (a *app) adminRoutes() http.Handler {
	mux := http.NewServeMux()
	a.operations(mux)
	mux.Handle("POST /-/reload", a.trustLocal(http.HandlerFunc(a.serveReload)))
	return a.observed(mux, nil)
}

// trustLocal requires a token for operations on the admin listener, except from programs on this machine if the listener is on a
// loopback address. Requests from pages of other sites and through proxies need a token.
func (a *app) trustLocal(next http.Handler) http.Handler {
	byToken, fromHere := a.kit.Guard(feed.ScopeAdmin, next), http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isLoopback(a.admin.Addr().String()) && isLoopback(r.Host) && !isForwarded(r) {
			fromHere.ServeHTTP(w, r)
			return
		}
		byToken.ServeHTTP(w, r)
	})
}

func (a *app) operations(mux *http.ServeMux) {
	mux.Handle("GET /metrics", promhttp.InstrumentMetricHandler(a.registry, promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{
		EnableOpenMetrics: true, Registry: a.registry, CoalesceGather: true,
	})))
	mux.HandleFunc("GET /healthz", a.healthy)
	mux.HandleFunc("GET /-/healthy", a.healthy)
	mux.HandleFunc("GET /readyz", a.ready)
	mux.HandleFunc("GET /-/ready", a.ready)
	mux.Handle("GET /-/doctor", a.kit.Guard(feed.ScopeAdmin, http.HandlerFunc(a.serveDoctor)))
	mux.Handle("GET /-/backup", a.kit.Guard(feed.ScopeAdmin, http.HandlerFunc(a.serveBackup)))
}

// healthy reports that the process is alive. It does not check the store, because a restart would not help.
func (a *app) healthy(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }

// ready reports whether the store accepts writes and the daemon is not shutting down.
func (a *app) ready(w http.ResponseWriter, r *http.Request) {
	if a.draining.Load() {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	}
	if err := a.store.Check(r.Context()); err != nil {
		a.log.Warn("not ready", "err", err)
		reason := "the store does not accept writes"
		switch {
		case core.ClassOf(err) == core.ClassEmptied:
			reason = err.Error()
		case errors.Is(err, feed.ErrFull):
			reason += ": it has reached the limit of its memory; raise store.max_memory or the maxmemory of your Redis"
		}
		http.Error(w, reason, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

// observed counts and times requests by route, and responds 500 if a handler panics. Paths of feeds are looked up before the
// patterns, because most requests are for feeds.
func (a *app) observed(mux *http.ServeMux, feedAt func(path string) http.Handler) http.Handler {
	routed := a.limits.Handler(readers.Apps(a.throttled(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if feedAt != nil && a.kit.HasHost(r) { // it has neither feeds nor operations
			a.kit.ServeHTTP(w, r)
			return
		}
		if feedAt != nil {
			if f := feedAt(r.URL.Path); f != nil {
				r.Pattern = feedRoute
				f.ServeHTTP(w, r)
				return
			}
		}
		mux.ServeHTTP(w, r)
	}))))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &statusRecorder{ResponseWriter: w}
		a.metrics.inFlight.Inc()
		defer func() {
			a.metrics.inFlight.Dec()
			route := routeOf(r)
			if p := recover(); p != nil {
				a.metrics.panicked("http")
				a.log.Error("request panicked", "route", route, "err", p, "stack", string(debug.Stack()))
				if rec.status != 0 {
					panic(http.ErrAbortHandler) // abort a response that has begun, so that the client does not take it for complete
				}
				writeInternalError(rec, r)
			}
			a.metrics.request(route, methodLabel(r.Method), max(rec.status, http.StatusOK), time.Since(start))
		}()
		routed.ServeHTTP(rec, r)
	})
}

// writeInternalError responds 500, with a problem document for requests to the API.
func writeInternalError(w http.ResponseWriter, r *http.Request) {
	if !web.IsAPI(r.URL.Path) {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	web.WriteProblem(w, feed.ProblemInternal.Problem(r, "internal error; see the log of the daemon"))
}

// otherRoute is the route of requests that match no pattern.
const otherRoute = "other"

// routeOf returns the pattern of the innermost mux that served a request, without the method.
func routeOf(r *http.Request) string {
	if _, path, ok := strings.Cut(r.Pattern, " "); ok {
		return path
	}
	return cmp.Or(r.Pattern, otherRoute)
}

// methodLabel returns the value of the method label, one of a fixed set.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// statusRecorder records the status of a response. 0: it has not begun.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *statusRecorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
