package daemon

import (
	"net"
	"net/http"
	"net/http/pprof" // the default mux is not served
	"slices"
	"strings"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/web"
)

// openPages reports whether a request may see the pages without signing in: any request if the operator disabled authentication,
// and in the demo a browser on this machine. Requests by a foreign host name (DNS rebinding) or through a proxy do not count.
func (a *app) openPages(r *http.Request) bool {
	if a.cfg().InsecureNoAuth || !a.demo {
		return a.cfg().InsecureNoAuth
	}
	return isLoopback(r.Host) && !isForwarded(r) && isLoopback(a.listener.Addr().String())
}

// throttled refuses wrong credentials after too many of them, at the paths that accept credentials. A proxy may send credentials of
// its own with requests for pages.
func (a *app) throttled(next http.Handler) http.Handler {
	throttle := a.people.Throttle(next, refuseCredentials)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" && acceptsCredentials(r.URL.Path) {
			throttle.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// acceptsCredentials reports whether requests for a path may have tokens or passwords in a header.
func acceptsCredentials(path string) bool {
	return path == "/hub" || web.IsAPI(path) || strings.Contains(path, "/feed.") ||
		slices.ContainsFunc([]string{"/feed/", "/-/"}, func(start string) bool { return strings.HasPrefix(path, start) })
}

// isForwarded reports whether a proxy has added its header fields to a request.
func isForwarded(r *http.Request) bool {
	return slices.ContainsFunc([]string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"}, func(name string) bool {
		return r.Header.Get(name) != ""
	})
}

// isLoopback reports whether the host of a request or of a listen address is localhost or a loopback address. The Host of a page of
// another site whose name resolves to this machine (DNS rebinding) is not.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return config.IsLoopback(strings.Trim(host, "[]"))
}

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
		if !isLoopback(r.Host) {
			http.Error(w, "profiles are for programs that ask for this machine by its own name", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
