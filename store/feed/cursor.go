package feed

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// Cursor is a position in a list that is sorted by descending score and then by member. Many members share a second, so that
// the score alone would skip or repeat some. The zero Cursor is the start.
type Cursor struct {
	Score  float64
	Member string
}

// CursorUpTo returns the cursor after which all members with at most this score come.
func CursorUpTo(score int64) Cursor { return Cursor{float64(score), "\xff"} }

// IsZero reports whether the cursor is the start of the list.
func (c Cursor) IsZero() bool { return c == Cursor{} }

// String encodes the cursor for the API: opaque and safe in a URL; "" for the start.
func (c Cursor) String() string {
	if c.IsZero() {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatFloat(c.Score, 'f', -1, 64) + " " + c.Member))
}

// ParseCursor decodes a cursor. The error is ErrInvalid.
func ParseCursor(s string) (Cursor, error) {
	if s == "" {
		return Cursor{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	score, member, ok := strings.Cut(string(raw), " ")
	f, ferr := strconv.ParseFloat(score, 64)
	if err != nil || ferr != nil || !ok || member == "" || f != f {
		return Cursor{}, fmt.Errorf("%w cursor %q: use the one of the previous response, or none", ErrInvalid, s)
	}
	return Cursor{f, member}, nil
}
