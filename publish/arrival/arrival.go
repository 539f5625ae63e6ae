// Package arrival finds out whether HTTP responses arrived. A handler cannot know: the system buffers what it writes long
// before the client reads it, and a client that leaves early leaves no trace in the handler. A Watcher looks at the
// connection instead:
//
//	watcher := arrival.NewWatcher(0)
//	server := &http.Server{Handler: mux, ConnContext: watcher.ConnContext}
//	server.Serve(watcher.Listener(listener))
//
// The listener must be the outermost one below TLS. Only what a client sends or acknowledges after the last byte of a
// response proves that the response arrived.
package arrival

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"
)

const (
	closingPoll = 20 * time.Millisecond // between checks of a connection whose write side is closed
	settleLimit = 30 * time.Second      // a response that is not acknowledged by then is lost
)

// Watcher watches the connections of one server.
type Watcher struct{ delay time.Duration }

// NewWatcher returns a Watcher. delay is how long a client whose system has acknowledged a whole response may still abort
// it; 0: one second. TCP shows what reached the client's system, not what its program read. A program that leaves without
// reading the rest causes a reset, but only when it leaves; until then it looks like a program that read everything and
// keeps its connection. A client that aborts later counts as served. The longer the delay, the later complete fetches of
// silent clients count, and the later a TLS client that waits for the end of its connection sees it.
func NewWatcher(delay time.Duration) *Watcher {
	return &Watcher{cmp.Or(delay, time.Second)}
}

// Listener wraps the connections that l accepts.
func (w *Watcher) Listener(l net.Listener) net.Listener { return listener{l, w.delay} }

// ConnContext makes the connection of a request available to Of. It is meant for http.Server.
func (*Watcher) ConnContext(ctx context.Context, c net.Conn) context.Context {
	if outer, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = outer.NetConn()
	}
	if watched, ok := c.(*Conn); ok {
		return context.WithValue(ctx, connKey{}, watched)
	}
	return ctx
}

type connKey struct{}

// Of returns the connection of an HTTP/1 request, or nil if it cannot be watched.
func Of(r *http.Request) *Conn {
	c, _ := r.Context().Value(connKey{}).(*Conn)
	if r.ProtoMajor != 1 {
		return nil // responses share the connection
	}
	return c
}

type listener struct {
	net.Listener
	delay time.Duration
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConn(c, l.delay), nil
}
