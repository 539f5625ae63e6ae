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
	bare    feed.Signal   // without the post and what changed in it
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
	ev.bare = *s
	ev.bare.Post, ev.bare.Changed = nil, nil
	short := s.WithoutText()
	ev.brief = sync.OnceValue(func() []byte {
		data, _ := json.Marshal(short) // cannot fail: the signal with its text was encoded above
		return encodeFrame(&short, data)
	})
	return ev, nil
}

// removePosts replaces the events about an entry that was taken down by events without its post.
func removePosts(all []*event, deleted *event) {
	for i, ev := range all {
		if ev.bare.Entry != deleted.bare.Entry || ev.feedURL != deleted.feedURL || ev == deleted {
			continue
		}
		if bare, err := newEvent(&ev.bare); err == nil { // it was encoded before, with the post
			all[i] = bare
		}
	}
}

func encodeFrame(s *feed.Signal, data []byte) []byte {
	return fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", s.ID, s.Kind, data)
}

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
