package web

import (
	"cmp"
	"fmt"
	"net/http"
	"time"
)

const writeTimeout = 10 * time.Second // for one event; a slower client is disconnected

// Stream writes server-sent events with a deadline for each write, which ends a stream that is not read.
type Stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// OpenStream sends the header and the time after which a client reconnects. It removes the read deadline of the server, at which
// net/http would end the request.
func OpenStream(w http.ResponseWriter, reconnect time.Duration) (*Stream, error) {
	s := &Stream{w, http.NewResponseController(w)}
	_ = s.control.SetReadDeadline(time.Time{}) // not every connection has one
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would buffer events
	w.WriteHeader(http.StatusOK)
	return s, cmp.Or(s.Write(fmt.Appendf(nil, "retry: %d\n\n", reconnect.Milliseconds())), s.Flush())
}

// Write writes events or a comment.
func (s *Stream) Write(b []byte) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every connection has one
	_, err := s.w.Write(b)
	return err
}

// Flush sends what was written.
func (s *Stream) Flush() error { return s.control.Flush() }
