package ingest

import (
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/feedwire/feedwire/store/feed"
)

// generation counts the changes of parsing and translating that make other entries of the same document. Raise it with
// such a change: every source is then fetched in full once.
const generation = 1

// When a document is asked for without validators although there are some.
const (
	fullEvery = 24 * time.Hour      // at most so often
	silence   = 14 * 24 * time.Hour // of 304 and nothing else: some servers answer so for ever
)

// wantsFull reports whether the document itself is wanted, changed or not.
func wantsFull(p *feed.PollState, now time.Time) bool {
	if p.FullRequested || now.Sub(p.LastFull) < fullEvery {
		return p.FullRequested
	}
	silent := now.Sub(p.LastDocument) >= silence && now.Sub(p.LastFull) >= silence
	return p.Generation != generation || silent
}

// setValidators makes a request conditional where the validators belong to its URL (RFC 9110 section 8.8), and
// unconditional elsewhere.
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

// isConditional reports whether a request can be answered by 304.
func isConditional(req *http.Request) bool {
	return req.Header.Get("If-None-Match") != "" || req.Header.Get("If-Modified-Since") != ""
}

// keepValidators takes over each validator that came, byte for byte, with the URL it belongs to. A 200 without one takes
// the old one away, a 304 does not have to repeat it (RFC 9110 section 15.4.5).
func keepValidators(state *feed.PollState, got *answer) {
	etag, modified := validator(got.header, "ETag"), validator(got.header, "Last-Modified")
	if etag != "" || !got.notModified {
		state.ETag = etag
	}
	if modified != "" || !got.notModified {
		state.LastModified = modified
	}
	state.Validated = got.url
	if len(got.url) > maxURL || state.ETag == "" && state.LastModified == "" {
		state.ETag, state.LastModified, state.Validated = "", "", ""
	}
}

// What is stored and sent with every poll is bounded, in bytes.
const (
	maxValidator = 1024
	maxURL       = 2048 // of a redirect's target
)

// validator reads a header field that can be sent back as it is; one that cannot would make every later poll fail.
func validator(h http.Header, field string) string {
	value := h.Get(field)
	if len(value) > maxValidator || !httpguts.ValidHeaderFieldValue(value) {
		return ""
	}
	return value
}
