package republish

import (
	"errors"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/document"
	"github.com/feedwire/feedwire/store/feed"
)

// ServeHTTP answers GET and HEAD for the feed of the source in the path value "id", in the format that the path ends with.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, format, _ := strings.Cut(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], ".")
	count := s.metrics.requests[format]
	if count == nil {
		http.NotFound(w, r)
		return
	}
	count[s.serve(w, r, name{r.PathValue("id"), format})].Inc()
}

// serve answers one request and returns the status code.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, of name) int {
	if !document.Readable(w, r) {
		return http.StatusMethodNotAllowed
	}
	now := s.current(r.Context(), of)
	switch {
	case errors.Is(now.err, feed.ErrNotFound):
		return document.Refuse(w, http.StatusNotFound, "There is no such source.")
	case now.doc == nil:
		return document.Unavailable(w, "The feed is not available now.")
	case now.doc.Private && !s.opts.Trusted(r):
		w.Header().Set("WWW-Authenticate", `Basic realm="feed of a private source, the password is the API token", charset="UTF-8"`)
		return document.Refuse(w, http.StatusUnauthorized,
			"feedwire fetches this source with credentials. Use the API token as the password, with any user name.")
	}
	response := now.doc.Response(r.Header)
	if now.err != nil {
		feed.MarkStale(w.Header())
	}
	_ = response.Write(w, r) // the client may leave
	return response.Code
}
