// Package arrival finds out whether HTTP responses arrived. A handler cannot know: the system buffers what it writes long
// before the client reads it, and a client that leaves early leaves no trace in the handler. A Watcher looks at the
// connection instead:
//
//	watcher := arrival.NewWatcher(0)
//	server := &http.Server{Handler: mux, ConnContext: watcher.ConnContext}
//	server.Serve(watcher.Listener(listener))
//
// Only what the client sends after its system has acknowledged the last byte of a response proves that the response
// arrived: the next request or the end of the connection. What it sent before, such as a pipelined request or the end of its
// side, proves nothing. Without a proof a response has arrived once it has been acknowledged for the settle time without a
// reset.
//
// TCP shows what reached the client's system, not what its program read. A program that leaves without reading the rest
// causes a reset, but only when it leaves. Until then it looks like a program that read everything. A program that sends
// something after its system received the response counts as one that read it. Behind a proxy, the client is the proxy.
package arrival

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"
)

// Watcher watches the connections of one server. TLS, HTTP/2 and HTTP/3 must end before it.
type Watcher struct{ settle time.Duration }

// NewWatcher returns a Watcher. settle is the settle time; 0: one second. A client that resets its connection later counts as
// served. The longer the settle time, the later complete fetches of silent clients count.
func NewWatcher(settle time.Duration) *Watcher { return &Watcher{cmp.Or(settle, time.Second)} }

// Listener wraps the connections that l accepts.
func (w *Watcher) Listener(l net.Listener) net.Listener { return listener{l, w.settle} }

// ConnContext makes the connection of a request available to Of. It is meant for http.Server.
func (*Watcher) ConnContext(ctx context.Context, c net.Conn) context.Context {
	if watched, ok := c.(*Conn); ok {
		return context.WithValue(ctx, connKey{}, watched)
	}
	return ctx
}

type connKey struct{}

// Of returns the connection of a request, or nil if it is not watched.
func Of(r *http.Request) *Conn {
	c, _ := r.Context().Value(connKey{}).(*Conn)
	return c
}

type listener struct {
	net.Listener
	settle time.Duration
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConn(c, l.settle), nil
}
