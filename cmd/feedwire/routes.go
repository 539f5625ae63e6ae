package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// routes is the URL map of the daemon.
func (a *app) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(feedRoute, a.publisher)
	mux.Handle("/sources/{id}/feed.rss", a.republish)
	mux.Handle("/sources/{id}/feed.atom", a.republish)
	mux.Handle("/sources/{id}/feed.json", a.republish)
	mux.Handle("/push/{token}", a.pushed)
	mux.Handle("/hub", a.front)
	mux.HandleFunc("GET "+selfPath, a.proveSelf)
	mux.Handle("/", a.desk.Handler())
	mux.Handle("/api/v1/events", a.desk.Guard(feed.ScopeRead, a.events))
	if a.admin == nil {
		a.operations(mux)
		mux.Handle("POST /-/reload", a.desk.Guard(feed.ScopeAdmin, http.HandlerFunc(a.serveReload)))
	}
	return a.observed(mux, a.publisher.At)
}

// feedRoute is the pattern of outgoing feeds.
const feedRoute = "/feed/{type}"

// adminRoutes are the paths for operators, where they have a listener of their own.
func (a *app) adminRoutes() http.Handler {
	mux := http.NewServeMux()
	a.operations(mux)
	mux.Handle("POST /-/reload", a.trustNeighbours(http.HandlerFunc(a.serveReload)))
	return a.observed(mux, nil)
}

// trustNeighbours guards what operators do on the admin listener: programs of this machine need no token there, where it is
// not open to others. Pages of other sites in a browser here are refused, and so are requests that a proxy passes on.
func (a *app) trustNeighbours(next http.Handler) http.Handler {
	byToken, fromHere := a.desk.Guard(feed.ScopeAdmin, next), http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isLoopback(a.admin.Addr()) && asksThisMachine(r) && !passedOn(r) {
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
	mux.Handle("GET /-/doctor", a.desk.Guard(feed.ScopeAdmin, http.HandlerFunc(a.serveDoctor)))
	mux.Handle("GET /-/backup", a.desk.Guard(feed.ScopeAdmin, http.HandlerFunc(a.serveBackup)))
}

// healthy says that the process is alive. It asks nobody: an outage of the store must not end in restarts.
func (a *app) healthy(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }

// ready says whether the daemon can do its work: the store takes a write, and the daemon is not about to stop.
func (a *app) ready(w http.ResponseWriter, r *http.Request) {
	if a.draining.Load() {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	}
	if err := a.store.Check(r.Context()); err != nil {
		a.log.Warn("not ready", "err", err)
		reason := "the store does not take writes"
		if store.ClassOf(err) == store.ClassEmptied {
			reason = err.Error()
		}
		http.Error(w, reason, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

// observed counts and times requests by route, and turns a panic into a 500 that harms nobody else. Feeds are asked for
// more often than all else together: their paths are looked up before any pattern.
func (a *app) observed(mux *http.ServeMux, feedAt func(path string) http.Handler) http.Handler {
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
					panic(http.ErrAbortHandler) // the answer has begun: cut it, so that it cannot pass for whole
				}
				refuseFault(rec, r)
			}
			a.metrics.request(route, knownMethod(r.Method), max(rec.status, http.StatusOK), time.Since(start))
		}()
		if feedAt != nil {
			if f := feedAt(r.URL.Path); f != nil {
				r.Pattern = feedRoute
				f.ServeHTTP(rec, r)
				return
			}
		}
		mux.ServeHTTP(rec, r)
	})
}

// refuseFault answers a request whose handler has failed: those of the API with a problem.
func refuseFault(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/api/") {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", feed.ProblemType)
	w.WriteHeader(http.StatusInternalServerError)
	_ = json.NewEncoder(w).Encode( // the client may be gone
		feed.ProblemInternal.Problem(r, "internal error; the log of the daemon has the reason"))
}

// refuseOperation tells an operator why something was not done. They may know all that is in an error.
func refuseOperation(w http.ResponseWriter, r *http.Request, err error) {
	kind := feed.ProblemConflict
	if errors.Is(err, feed.ErrUnavailable) {
		kind = feed.ProblemUnavailable
	}
	p := kind.Problem(r, err.Error())
	w.Header().Set("Content-Type", feed.ProblemType)
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}

// otherRoute is the route of what no pattern of the URL map takes.
const otherRoute = "other"

// routeOf is the pattern of the innermost mux that served a request, without its method.
func routeOf(r *http.Request) string {
	if _, path, ok := strings.Cut(r.Pattern, " "); ok {
		return path
	}
	return cmp.Or(r.Pattern, otherRoute)
}

// knownMethod keeps the method label bounded.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// statusRecorder remembers the status of an answer. 0: none was begun.
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
