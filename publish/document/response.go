package document

import (
	"fmt"
	"net/http"
)

// Response is a document as the answer to one request.
type Response struct {
	Code  int  // 200 or 304
	Named bool // the request named this version, by its ETag or date
	*variant
}

// Response chooses the encoding, and 304 if the client has the document already.
func (d *Document) Response(h http.Header) Response {
	v := &d.plain
	if acceptsGzip(h) {
		v = &d.gzip
	}
	matches, named := d.condition(v, h)
	if matches {
		return Response{http.StatusNotModified, named, v}
	}
	return Response{http.StatusOK, named, v}
}

// Write sends the status code, the header and, unless the request is a HEAD, the body.
func (r Response) Write(w http.ResponseWriter, req *http.Request) error {
	fields := r.full
	if r.Code == http.StatusNotModified {
		fields = r.bare
	}
	header := w.Header()
	for _, f := range fields {
		header[f.name] = f.values
	}
	w.WriteHeader(r.Code)
	if r.Code == http.StatusNotModified || len(r.body) == 0 || req.Method == http.MethodHead {
		return nil
	}
	_, err := w.Write(r.body)
	return err
}

// Refuse answers with a sentence for people instead of a document, and returns the status code.
func Refuse(w http.ResponseWriter, code int, text string) int {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	fmt.Fprintln(w, text)
	return code
}

// Unavailable refuses a request that may succeed later.
func Unavailable(w http.ResponseWriter, text string) int {
	w.Header().Set("Retry-After", "5")
	return Refuse(w, http.StatusServiceUnavailable, text+" Try again in 5 seconds.")
}

// Readable reports whether the method of a request is GET or HEAD. Otherwise it answers the request.
func Readable(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	Refuse(w, http.StatusMethodNotAllowed, "Feeds support GET and HEAD only.")
	return false
}
