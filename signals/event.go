package signals

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/feedwire/feedwire/store/feed"
)

// maxData bounds the JSON of one event, in bytes. A larger event is sent without the text of its post, which the API
// returns: hundreds of events may be buffered for each client.
const maxData = 256 << 10

// event is an encoded signal. All clients share it.
type event struct {
	id      signalID
	kind    feed.SignalKind
	feedURL string
	frame   []byte
	brief   func() []byte // the frame without the text of the post, encoded once if a client needs it
}

// frameFor returns the event as the client wants it.
func (ev *event) frameFor(c *client) []byte {
	if c.brief {
		return ev.brief()
	}
	return ev.frame
}

// newEvent encodes a signal as a server-sent event (WHATWG HTML, section 9.2). The data is one line because JSON contains
// no line breaks.
func newEvent(s *feed.Signal) (*event, error) {
	id, err := parseSignalID(s.ID)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(s)
	if err == nil && len(data) > maxData && s.Post != nil {
		data, err = json.Marshal(s.WithoutText())
	}
	if err != nil {
		return nil, fmt.Errorf("encode signal %s: %w", s.ID, err)
	}
	ev := &event{id: id, kind: s.Kind, feedURL: s.FeedURL, frame: encodeFrame(s, data)}
	short := s.WithoutText()
	ev.brief = sync.OnceValue(func() []byte {
		data, _ := json.Marshal(short) // cannot fail: the signal with its text was encoded above
		return encodeFrame(&short, data)
	})
	return ev, nil
}

func encodeFrame(s *feed.Signal, data []byte) []byte {
	return fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", s.ID, s.Kind, data)
}
