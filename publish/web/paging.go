package web

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"regexp"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// streamID matches ids of the outbox and the audit log; empty: before the oldest.
var streamID = regexp.MustCompile(`^([0-9]{1,19}(-[0-9]{1,19})?)?$`)

// IsStreamID reports whether text is an id of the outbox or the audit log, or empty. The second number can be left out.
func IsStreamID(text string) bool { return streamID.MatchString(text) }

// CursorText encodes a position in a list; empty for none.
func CursorText(place string) string { return base64.RawURLEncoding.EncodeToString([]byte(place)) }

// One returns the item that is wanted of a list that was read. feed.ErrNotFound: there is none.
func One[T any](all []T, err error, wanted func(T) bool) (one T, _ error) {
	i := slices.IndexFunc(all, wanted)
	if err != nil || i < 0 {
		return one, cmp.Or(err, feed.ErrNotFound)
	}
	return all[i], nil
}

// Paged returns a function that reads a whole list and returns the page of it that a request asks for by limit and cursor. The key must
// be unique and constant: then items that are added or removed between two requests neither repeat nor hide others.
func Paged[T any](read func(context.Context) ([]T, error), key func(T) string) func(*http.Request) (feed.Page[T], error) {
	return func(r *http.Request) (page feed.Page[T], err error) {
		all, err := read(r.Context())
		if err != nil {
			return page, err
		}
		q := QueryOf(r)
		limit, after := q.Limit(), q.Cursor()
		if q.Err != nil {
			return page, q.Err
		}
		all = slices.DeleteFunc(slices.Clone(all), func(t T) bool { return after != "" && key(t) <= after })
		slices.SortFunc(all, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
		if len(all) <= limit {
			return List(all, ""), nil
		}
		return List(all[:limit], CursorText(key(all[limit-1]))), nil
	}
}

// Newest returns a function that reads the page that a request asks for of a list whose items have ids of the outbox or the audit log,
// newest first.
func Newest[T any](
	read func(ctx context.Context, before string, limit int) ([]T, error), id func(*T) string,
) func(*http.Request) (feed.Page[T], error) {
	return func(r *http.Request) (page feed.Page[T], err error) {
		q := QueryOf(r)
		before, limit := q.StreamCursor(), q.Limit()
		if q.Err != nil {
			return page, q.Err
		}
		items, err := read(r.Context(), before, limit)
		return Part(items, limit, id), err
	}
}
