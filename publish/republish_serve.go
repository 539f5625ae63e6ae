package publish

import (
	"errors"
	"maps"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// ServeHTTP answers GET and HEAD for the feed of the source named by the path value "id", in the format that the path ends
// with.
func (r *Republisher) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	_, format, _ := strings.Cut(req.URL.Path[strings.LastIndexByte(req.URL.Path, '/')+1:], ".")
	count := r.metrics.requests[format]
	if count == nil {
		http.NotFound(w, req)
		return
	}
	code := r.serve(w, req, reissue{req.PathValue("id"), format})
	count[code].Inc()
}

// serve answers one request and tells the status code.
func (r *Republisher) serve(w http.ResponseWriter, req *http.Request, of reissue) int {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "A feed can be read with GET and HEAD only.")
		return http.StatusMethodNotAllowed
	}
	now := r.current(req.Context(), of)
	switch {
	case errors.Is(now.err, feed.ErrNotFound):
		refuse(w, http.StatusNotFound, "There is no such source.")
		return http.StatusNotFound
	case now.err != nil:
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "The feed cannot be read at the moment. Please try again in 5 seconds.")
		return http.StatusServiceUnavailable
	case now.doc.private && !r.opts.Trusted(req):
		w.Header().Set("WWW-Authenticate", `Basic realm="feed of a private source, the password is the API token", charset="UTF-8"`)
		refuse(w, http.StatusUnauthorized, "This source is fetched with credentials, so its feed asks for the API token, as the password with any user name.")
		return http.StatusUnauthorized
	}
	v := &now.doc.plain
	if acceptsGzip(req.Header) {
		v = &now.doc.gzip
	}
	code, header, content := http.StatusOK, v.header, v.body
	if held, _ := now.doc.held(v, req.Header); held {
		code, header, content = http.StatusNotModified, v.bare, nil
	}
	maps.Copy(w.Header(), header)
	if now.stale {
		w.Header().Set("X-Feedwire-Stale", "true")
	}
	_ = send(w, req, code, content) // whoever it is may go away
	return code
}
