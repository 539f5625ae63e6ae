package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"github.com/feedwire/feedwire/store/feed"
)

// line has either Shown or ID and Times.
type line struct {
	List  string            `json:"list"`
	Shown []feed.Impression `json:"shown,omitempty"`
	ID    string            `json:"id,omitempty"`
	Times int               `json:"times,omitempty"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (l line) append(lines []byte) []byte {
	text, _ := json.Marshal(l) // strings and numbers always encode
	return fmt.Appendf(lines, "%08x %s\n", crc32.Checksum(text, castagnoli), text)
}

// parseLine decodes a line. It returns false if the line is damaged.
func parseLine(text []byte) (l line, ok bool) {
	sum, object, found := bytes.Cut(bytes.TrimSuffix(text, []byte("\n")), []byte(" "))
	if !found || string(sum) != fmt.Sprintf("%08x", crc32.Checksum(object, castagnoli)) {
		return line{}, false
	}
	err := json.Unmarshal(object, &l)
	return l, err == nil && l.Times >= 0 && (len(l.Shown) > 0) != (l.ID != "" && l.Times > 0)
}

func newList(shown []feed.Impression) list {
	text, _ := json.Marshal(shown) // as above
	sum := sha256.Sum256(text)
	return list{hex.EncodeToString(sum[:8]), shown}
}

// SameList reports whether both are the list of the same document, which is never copied. Empty lists are never the same.
func SameList(a, b []feed.Impression) bool { return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0] }
