package web

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/feedwire/feedwire/store/feed"
)

// Items of one list response.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

const (
	maxCursor = 4 << 10 // bytes
	maxSearch = 200     // bytes
)

// Query reads the query of a request. Err is about the first value that is invalid.
type Query struct {
	url.Values
	Err error
}

// QueryOf returns the query of a request.
func QueryOf(r *http.Request) *Query { return &Query{Values: r.URL.Query()} }

// Refuse sets Err unless it is set.
func (q *Query) Refuse(name, reason string) {
	if q.Err == nil {
		q.Err = feed.Invalid(name, reason)
	}
}

// Number returns a whole number within bounds, or fallback if the query does not have it.
func (q *Query) Number(name string, fallback, low, high int) int {
	if q.Get(name) == "" {
		return fallback
	}
	n, err := strconv.Atoi(q.Get(name))
	if err != nil || n < low || n > high {
		q.Refuse(name, fmt.Sprintf("use a whole number from %d to %d", low, high))
	}
	return n
}

// Limit returns the limit of a list.
func (q *Query) Limit() int { return q.Number("limit", DefaultLimit, 1, MaxLimit) }

// Content reports whether a list is requested with the content of its items.
func (q *Query) Content() bool { return q.Number("content", 0, 0, 1) == 1 }

// Time returns a time (RFC 3339); zero if it is absent or refused.
func (q *Query) Time(name string) (t time.Time) {
	if text := q.Get(name); text != "" {
		var err error
		if t, err = time.Parse(time.RFC3339, text); err != nil {
			q.Refuse(name, "use a time like 2026-11-20T21:43:46Z")
		}
	}
	return t
}

// Kinds returns the kinds of signals that are requested; none: all.
func (q *Query) Kinds() (kinds []feed.SignalKind) {
	for _, text := range q.Values["kind"] {
		kind := feed.SignalKind(text)
		if !slices.Contains(feed.SignalKinds(), kind) {
			q.Refuse("kind", "use feed_created, feed_modified, post_created, post_modified, post_deleted, comment_created, entry_voted or list_modified")
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// Search returns the text that a list is filtered by, or "".
func (q *Query) Search() string {
	return strings.TrimSpace(strings.ToValidUTF8(Cut(q.Get("q"), maxSearch), ""))
}

// invalidCursor is the reason for a cursor that this daemon did not issue.
const invalidCursor = "use next of the previous response"

// Cursor returns the position in a list that CursorText encoded.
func (q *Query) Cursor() string {
	text := q.Get("cursor")
	place, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(text) > maxCursor || !utf8.Valid(place) {
		q.Refuse("cursor", invalidCursor)
	}
	return string(place)
}

// StreamCursor returns the position in a list whose items have ids of the outbox or the audit log.
func (q *Query) StreamCursor() string {
	if !IsStreamID(q.Get("cursor")) {
		q.Refuse("cursor", invalidCursor)
	}
	return q.Get("cursor")
}

// Position returns the position in a list that is ordered by score.
func (q *Query) Position() feed.Cursor {
	position, err := feed.ParseCursor(q.Get("cursor"))
	if err != nil {
		q.Refuse("cursor", err.Error())
	}
	return position
}
