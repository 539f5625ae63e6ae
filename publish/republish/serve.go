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
	s.answer(w, r, name{id: r.PathValue("id"), format: format})
}

// ServeList answers GET and HEAD for the feed of a list. The path value "list" is its name with the suffix of the format.
func (s *Server) ServeList(w http.ResponseWriter, r *http.Request) {
	list, format := feed.CutListFormat(r.PathValue("list"))
	s.answer(w, r, name{true, list, format})
}

// answer answers one request and counts it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, of name) {
	count := s.metrics.requests[of.format]
	if count == nil {
		http.NotFound(w, r)
		return
	}
	count[s.serve(w, r, of)].Inc()
}

// serve answers one request and returns the status code.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, of name) int {
	if !document.Readable(w, r) {
		return http.StatusMethodNotAllowed
	}
	if of.list && !s.opts.OpenLists() && !s.opts.Trusted(r) { // whether a list exists is not public, either
		return refusePrivate(w, of)
	}
	if of.list && r.URL.RawQuery != "" {
		return document.Refuse(w, http.StatusBadRequest, "The feed of a list has no parameters.")
	}
	now := s.current(r.Context(), of)
	switch {
	case errors.Is(now.err, feed.ErrNotFound):
		return document.Refuse(w, http.StatusNotFound, "There is no such "+of.kind()+".")
	case now.doc == nil:
		return document.Unavailable(w, "The feed is not available now.")
	case now.doc.Private && !s.opts.Trusted(r):
		return refusePrivate(w, of)
	}
	response := now.doc.Response(r.Header)
	if now.err != nil {
		feed.MarkStale(w.Header())
	}
	_ = response.Write(w, r) // the client may leave
	return response.Code
}

// refusePrivate asks for the API token.
func refusePrivate(w http.ResponseWriter, of name) int {
	w.Header().Set("WWW-Authenticate", `Basic realm="feed of a private `+of.kind()+`, the password is the API token", charset="UTF-8"`)
	return document.Refuse(w, http.StatusUnauthorized, of.whyPrivate()+" Use the API token as the password, with any user name.")
}

// kind returns what the feed is of.
func (of name) kind() string {
	if of.list {
		return "list"
	}
	return "source"
}

// whyPrivate returns why a feed requires the API token.
func (of name) whyPrivate() string {
	if of.list {
		return "Lists are not public here."
	}
	return "feedwire fetches this source with credentials."
}
