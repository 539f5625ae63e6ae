package signals

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// maxData bounds the JSON of one event, in bytes. The post of a larger one goes without its text, which the API has:
// some hundred events may wait for each client.
const maxData = 256 << 10

// event is a signal ready to be written, shared by all clients.
type event struct {
	at      place
	kind    feed.SignalKind
	feedURL string
	frame   []byte // as it goes over the wire
}

// newEvent writes a signal as a server-sent event (WHATWG HTML, section 9.2). JSON has no line breaks, so that the
// data is one line.
func newEvent(s *feed.Signal) (*event, error) {
	at, err := parsePlace(s.ID)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(s)
	if err == nil && len(data) > maxData && s.Post != nil {
		short, post := *s, *s.Post
		post.Content, post.Summary, post.Extra = "", "", nil
		short.Post = &post
		data, err = json.Marshal(short)
	}
	if err != nil {
		return nil, fmt.Errorf("encode signal %s: %w", s.ID, err)
	}
	frame := fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", s.ID, s.Kind, data)
	return &event{at: at, kind: s.Kind, feedURL: s.FeedURL, frame: frame}, nil
}

// place is where a signal stands in the outbox: the two numbers of its id, "1795206000000-0". The zero place is
// before all signals.
type place struct{ ms, seq uint64 }

// parsePlace reads a signal id; the empty one is the zero place. The second number may be left out and is 0 then, as in
// Redis: people resume by a time or from "0". Anything else is ErrInvalid.
func parsePlace(id string) (place, error) {
	if id == "" {
		return place{}, nil
	}
	ms, seq, whole := strings.Cut(id, "-")
	if !whole {
		seq = "0"
	}
	p := place{}
	var err1, err2 error
	p.ms, err1 = strconv.ParseUint(ms, 10, 64)
	p.seq, err2 = strconv.ParseUint(seq, 10, 64)
	if err1 != nil || err2 != nil {
		return place{}, fmt.Errorf("%w signal id %.64q: it looks like 1795206000000-0", feed.ErrInvalid, id)
	}
	return p, nil
}

func (p place) String() string {
	if p == (place{}) {
		return ""
	}
	return fmt.Sprintf("%d-%d", p.ms, p.seq)
}

// after reports whether p stands later than q.
func (p place) after(q place) bool {
	return cmp.Or(cmp.Compare(p.ms, q.ms), cmp.Compare(p.seq, q.seq)) > 0
}
