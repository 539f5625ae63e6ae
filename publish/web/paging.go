package web

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"regexp"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

const maxCursor = 4 << 10 // bytes

// streamID matches ids of the outbox and the audit log; empty: before the oldest.
var streamID = regexp.MustCompile(`^([0-9]{1,19}(-[0-9]{1,19})?)?$`)

// IsStreamID reports whether text is an id of the outbox or the audit log, or empty. The second number can be left out.
func IsStreamID(text string) bool { return streamID.MatchString(text) }

// CursorText encodes a position in a list; empty for none.
func CursorText(place string) string { return base64.RawURLEncoding.EncodeToString([]byte(place)) }

// Cursor returns the position that CursorText encoded.
func Cursor(r *http.Request) (string, error) {
	text := r.URL.Query().Get("cursor")
	place, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(text) > maxCursor {
		return "", invalidCursor()
	}
	return string(place), nil
}

// Position returns the position in a list that is ordered by score.
func Position(r *http.Request) (feed.Cursor, error) {
	position, err := feed.ParseCursor(r.URL.Query().Get("cursor"))
	if err != nil {
		err = feed.Invalid("cursor", err.Error())
	}
	return position, err
}

// invalidCursor returns the error for a cursor that this daemon did not issue.
func invalidCursor() error { return feed.Invalid("cursor", "use next of the previous response") }

// StreamPage returns the position and the limit of a list whose items have ids of the outbox or the audit log, newest first.
func StreamPage(r *http.Request) (before string, limit int, err error) {
	if before = r.URL.Query().Get("cursor"); !IsStreamID(before) {
		return "", 0, invalidCursor()
	}
	limit, err = Limit(r)
	return before, limit, err
}

// PageOf returns the page of a list that a request asks for by limit and cursor. The key must be unique and constant: then items
// that are added or removed between two requests neither repeat nor hide others.
func PageOf[T any](r *http.Request, all []T, key func(T) string) (feed.Page[T], error) {
	limit, err := Limit(r)
	if err != nil {
		return feed.Page[T]{}, err
	}
	after, err := Cursor(r)
	if err != nil {
		return feed.Page[T]{}, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(t T) bool { return after != "" && key(t) <= after })
	slices.SortFunc(all, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
	if len(all) <= limit {
		return List(all, ""), nil
	}
	return List(all[:limit], CursorText(key(all[limit-1]))), nil
}
