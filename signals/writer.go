package signals

import (
	"cmp"
	"net/http"
	"time"
)

const (
	writeTimeout = 10 * time.Second // for one event; a slower client is disconnected
	retryHint    = "retry: 2000\n\n"
)

// writer writes to a stream with a deadline for each write, which ends a stream that is not read.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
}

func newWriter(w http.ResponseWriter) *writer {
	return &writer{w, http.NewResponseController(w)}
}

// open sends the header and the reconnection delay. It removes the read deadline of the server, at which net/http would
// end the request.
func (w *writer) open() error {
	_ = w.control.SetReadDeadline(time.Time{}) // not every connection has one
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would buffer events
	w.WriteHeader(http.StatusOK)
	return cmp.Or(w.write([]byte(retryHint)), w.flush())
}

func (w *writer) write(b []byte) error {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every connection has one
	_, err := w.Write(b)
	return err
}

func (w *writer) flush() error { return w.control.Flush() }
