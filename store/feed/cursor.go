package feed

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// Cursor is a place in a list that is ordered by score, newest first, and by member among equal scores: many things
// share a second, so the score alone would lose or repeat some. The zero Cursor is the start.
type Cursor struct {
	Score  float64
	Member string
}

// IsZero reports whether the cursor is the start of the list.
func (c Cursor) IsZero() bool { return c == Cursor{} }

// String is the cursor as the API hands it out: opaque, safe in a URL; empty for the start.
func (c Cursor) String() string {
	if c.IsZero() {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatFloat(c.Score, 'f', -1, 64) + " " + c.Member))
}

// ParseCursor reads what String wrote. Anything else is ErrInvalid.
func ParseCursor(s string) (Cursor, error) {
	if s == "" {
		return Cursor{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	score, member, ok := strings.Cut(string(raw), " ")
	f, ferr := strconv.ParseFloat(score, 64)
	if err != nil || ferr != nil || !ok || member == "" || f != f {
		return Cursor{}, fmt.Errorf("%w cursor %q: use the one of the answer before, or none", ErrInvalid, s)
	}
	return Cursor{f, member}, nil
}
