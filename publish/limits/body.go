package limits

import (
	"errors"
	"io"
	"net/http"
	"strings"
)

// Memory of a body. Small bodies are free, because the number of connections bounds them. A form takes about eight times its
// bytes when it is parsed. Another body takes twice its bytes, because the buffer grows by copying, and what is parsed from it as
// much again.
const (
	freeBody   = 2 << 10
	bodyBlock  = 8 << 10
	formWeight = 8
	bodyWeight = 3
)

// Handler gives a request to next. The body takes its memory from the budget as it is read. If there is none, the response
// is that of Options.Refuse, whatever next writes. A body that next did not read ends the connection with the response.
func (l *Limits) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*conn)
		if ok {
			c.serving.Store(true)
			defer c.served()
		}
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		b := &body{ReadCloser: r.Body, limits: l, conn: c, request: r, client: l.clientOf(r), weight: bodyWeight}
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
			b.weight = formWeight
		}
		defer b.giveBack()
		r.Body = b
		next.ServeHTTP(&writer{ResponseWriter: w, body: b}, r)
		if ok && b.isUnread() {
			c.unread.Store(true)
		}
	})
}

// body is the body of a request.
type body struct {
	io.ReadCloser
	limits  *Limits
	conn    *conn // nil: it is not counted
	request *http.Request
	client  string
	weight  int64

	read, taken int64 // bytes
	most        int64 // of taken; 0: no bound
	unknown     int64 // of taken, as memory of an unknown client
	known       bool
	err         error // why no more can be read; io.EOF: all was
	refused     bool  // for lack of memory
}

// Known reports that the client of the request is known, so that the memory of unknown clients does not bound the body.
func (b *body) Known() { b.known = true }

// Holds reports that the reader holds at most so many bytes of the body at once, so that the body takes memory for no more.
func (b *body) Holds(bytes int64) { b.most = bytes }

// Read reads from the body. ErrFull: there is no memory for more.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	room := freeBody + b.taken - b.read
	switch {
	case room > 0:
	case b.most > 0 && b.taken >= b.most:
		room = int64(len(p))
	default:
		if b.err = b.limits.memory.take(b.request.Context(), b.client, b.weight*bodyBlock, b.known); b.err != nil {
			b.refused = true
			b.limits.metrics.bodiesRefused.Inc()
			return 0, b.err
		}
		b.taken += bodyBlock
		if !b.known {
			b.unknown += b.weight * bodyBlock
		}
		room = bodyBlock
	}
	if b.conn != nil {
		b.conn.beginWait()
		defer b.conn.endWait()
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), room)])
	b.read += int64(n)
	b.err = err
	return n, err
}

// isUnread reports whether so much of the body is unread that a new connection costs less than reading it.
func (b *body) isUnread() bool {
	if b.request.ContentLength >= 0 {
		return b.request.ContentLength-b.read > freeBody
	}
	return !errors.Is(b.err, io.EOF)
}

// giveBack returns the memory.
func (b *body) giveBack() {
	if all := b.weight * b.taken; all > 0 {
		b.limits.memory.give(b.client, b.unknown, false)
		b.limits.memory.give(b.client, all-b.unknown, true)
	}
}

// writer replaces the response to a request whose body found no memory.
type writer struct {
	http.ResponseWriter
	body    *body
	begun   bool
	refused bool
}

func (w *writer) WriteHeader(status int) {
	if w.refused {
		return
	}
	if w.begun || status < http.StatusOK {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.begun, w.refused = true, w.body.refused
	header := w.Header()
	if w.body.isUnread() {
		header.Set("Connection", "close")
	}
	if w.refused {
		clear(header)
		header.Set("Retry-After", "5")
		header.Set("Connection", "close")
		w.body.limits.opts.Refuse(w.ResponseWriter, w.body.request, ErrFull)
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
