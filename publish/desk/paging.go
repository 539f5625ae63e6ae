package desk

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// maxCursor bounds the cursor of a request, in bytes.
const maxCursor = 4 << 10

// cursorText is a place in a list as the API hands it out; empty for none.
func cursorText(place string) string { return base64.RawURLEncoding.EncodeToString([]byte(place)) }

// cursor reads from a request what cursorText wrote.
func cursor(r *http.Request) (string, error) {
	text := r.URL.Query().Get("cursor")
	place, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(text) > maxCursor {
		return "", wrong("cursor", "use next of the answer before")
	}
	return string(place), nil
}

// pieceOf is the piece of a list that a request asks for, by limit and cursor. The list is ordered by a key that no two
// have, and that nothing changes, so that whatever is added or removed meanwhile, no other thing is told twice or left out.
func pieceOf[T any](r *http.Request, all []T, key func(T) string) (feed.Page[T], error) {
	limit, err := limit(r)
	if err != nil {
		return feed.Page[T]{}, err
	}
	after, err := cursor(r)
	if err != nil {
		return feed.Page[T]{}, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(t T) bool { return after != "" && key(t) <= after })
	slices.SortFunc(all, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
	if len(all) <= limit {
		return list(all, ""), nil
	}
	return list(all[:limit], cursorText(key(all[limit-1]))), nil
}
