package fetch

import (
	"net/http"

	"golang.org/x/net/http/httpguts"

	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of stored validators, in bytes.
const (
	maxValidator = 1024
	maxURL       = 2048 // of their URL
)

// setValidators makes a request conditional if the stored validators belong to its URL (RFC 9110 section 8.8), and
// unconditional otherwise.
func setValidators(req *http.Request, p *feed.PollState, full bool) {
	req.Header.Del("If-None-Match")
	req.Header.Del("If-Modified-Since")
	if full || p.Validated == "" || withoutFragment(req.URL) != p.Validated {
		return
	}
	if p.ETag != "" {
		req.Header.Set("If-None-Match", p.ETag)
	}
	if p.LastModified != "" {
		req.Header.Set("If-Modified-Since", p.LastModified)
	}
}

// UpdateValidators stores the validators of a response, unchanged, with their URL. A 200 without a validator removes the
// stored one. A 304 need not repeat it (RFC 9110 section 15.4.5).
func (r *Response) UpdateValidators(state *feed.PollState) {
	etag, modified := validator(r.Header, "ETag"), validator(r.Header, "Last-Modified")
	if etag != "" || !r.NotModified {
		state.ETag = etag
	}
	if modified != "" || !r.NotModified {
		state.LastModified = modified
	}
	state.Validated = r.URL
	if len(r.URL) > maxURL || state.ETag == "" && state.LastModified == "" {
		state.ETag, state.LastModified, state.Validated = "", "", ""
	}
}

// validator returns a header field, or "" if a request cannot repeat it: all later polls would fail.
func validator(h http.Header, field string) string {
	value := h.Get(field)
	if len(value) > maxValidator || !httpguts.ValidHeaderFieldValue(value) {
		return ""
	}
	return value
}
