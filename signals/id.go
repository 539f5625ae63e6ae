package signals

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// signalID is the id of a signal, "1795206000000-0". The zero id precedes all signals.
type signalID struct{ ms, seq uint64 }

// parseSignalID parses an id. As in Redis, the second number defaults to 0, so that clients can resume from a time or from
// "0". The empty string is the zero id. The error is feed.ErrInvalid.
func parseSignalID(id string) (signalID, error) {
	if id == "" {
		return signalID{}, nil
	}
	ms, seq, found := strings.Cut(id, "-")
	if !found {
		seq = "0"
	}
	var parsed signalID
	var err1, err2 error
	parsed.ms, err1 = strconv.ParseUint(ms, 10, 64)
	parsed.seq, err2 = strconv.ParseUint(seq, 10, 64)
	if err1 != nil || err2 != nil {
		return signalID{}, fmt.Errorf("%w signal id %.64q: want an id like 1795206000000-0", feed.ErrInvalid, id)
	}
	return parsed, nil
}

func (id signalID) String() string {
	if id == (signalID{}) {
		return ""
	}
	return fmt.Sprintf("%d-%d", id.ms, id.seq)
}

func (id signalID) after(other signalID) bool {
	return cmp.Or(cmp.Compare(id.ms, other.ms), cmp.Compare(id.seq, other.seq)) > 0
}
