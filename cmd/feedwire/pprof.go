package main

import (
	"net/http"
	"net/http/pprof" // what it adds to the default mux is served by nobody
)

// pprofRoutes serve what the runtime tells of the program, on debug.listen. A profile holds parts of the memory, so that
// pages of other sites may not read it through a browser of this machine.
func pprofRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !asksThisMachine(r) {
			http.Error(w, "profiles are for programs that ask for this machine by its own name", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
