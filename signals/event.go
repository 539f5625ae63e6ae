package signals

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

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
	frame   []byte        // as it goes over the wire
	brief   func() []byte // the same without the text of the post; made once, when somebody wants it
}

// over is the event as it goes over the wire to a client.
func (ev *event) over(c *client) []byte {
	if c.brief {
		return ev.brief()
	}
	return ev.frame
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
		data, err = json.Marshal(withoutText(s))
	}
	if err != nil {
		return nil, fmt.Errorf("encode signal %s: %w", s.ID, err)
	}
	ev := &event{at: at, kind: s.Kind, feedURL: s.FeedURL, frame: frameOf(s, data)}
	short := withoutText(s)
	ev.brief = sync.OnceValue(func() []byte {
		data, _ := json.Marshal(short) // with its text it could be encoded
		return frameOf(&short, data)
	})
	return ev, nil
}

func frameOf(s *feed.Signal, data []byte) []byte {
	return fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", s.ID, s.Kind, data)
}

// withoutText is a signal whose post has no text; the signal itself is left alone.
func withoutText(s *feed.Signal) feed.Signal {
	short := *s
	if s.Post != nil {
		post := *s.Post
		post.Content, post.Summary, post.Extra = "", "", nil
		short.Post = &post
	}
	return short
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
