package daemon

import (
	"net/http"
	"net/http/pprof" // the default mux is not served
)

// pprofRoutes serves the profiles of the runtime on debug.listen. Requests from pages of other sites are rejected, because
// profiles contain parts of the memory.
func pprofRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !namesLoopback(r) {
			http.Error(w, "profiles are for programs that ask for this machine by its own name", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
