package publish

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Receipts watches connections to learn whether responses arrived. A handler cannot know: what it writes is taken by the
// system's buffers long before the client reads it, and a client that goes away in the middle leaves no trace in the
// handler. The listener must be the outermost one below TLS:
//
//	receipts := publish.NewReceipts()
//	server := &http.Server{Handler: mux, ConnContext: receipts.ConnContext}
//	server.Serve(receipts.Listener(listener))
//
// Without it responses count as delivered once they are written.
type Receipts struct{ delay time.Duration }

// NewReceipts makes the hook for one server.
func NewReceipts() *Receipts { return &Receipts{settleDelay} }

// Listener wraps the connections that l accepts.
func (r *Receipts) Listener(l net.Listener) net.Listener { return receiptListener{l, r.delay} }

// ConnContext lets handlers find the connection of a request; it is meant for http.Server.
func (*Receipts) ConnContext(ctx context.Context, c net.Conn) context.Context {
	if outer, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = outer.NetConn()
	}
	if rc, ok := c.(*receiptConn); ok {
		return context.WithValue(ctx, receiptKey{}, rc)
	}
	return ctx
}

type receiptKey struct{}

func receiptOf(r *http.Request) *receiptConn {
	c, _ := r.Context().Value(receiptKey{}).(*receiptConn)
	return c
}

type receiptListener struct {
	net.Listener
	delay time.Duration
}

func (l receiptListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newReceiptConn(c, l.delay), nil
}

const (
	// settleDelay is how long a client whose system has acknowledged all of a response may still break off before the
	// response counts. TCP shows what reached the client's system, not what its program has read from there. A program
	// that leaves without reading the rest gives itself away by a reset, but only when it leaves: until then it looks
	// like one that has read everything and keeps its connection. So who waits longer before it breaks off is counted;
	// and the longer this is, the later a complete fetch counts whose client stays silent.
	settleDelay = time.Second
	closingLook = 20 * time.Millisecond // between looks at a connection that we have closed our side of
	settleLimit = 30 * time.Second      // a response not acknowledged by then counts as lost
)

// receiptConn is a connection that decides about the responses written to it.
type receiptConn struct {
	net.Conn
	delay            time.Duration
	reading, writing deadline
	waiting          atomic.Bool // len(pending) > 0

	mu      sync.Mutex
	pending []pendingReceipt // oldest first
	ended   bool             // the client closed its side in good order
	broken  bool             // the connection was reset
	closing bool             // we want to close and wait for receipts only
	timer   *time.Timer
}

func newReceiptConn(c net.Conn, delay time.Duration) *receiptConn {
	return &receiptConn{
		Conn: c, delay: delay, reading: deadline{set: c.SetReadDeadline}, writing: deadline{set: c.SetWriteDeadline},
	}
}

// pendingReceipt is a response that was handed to the system and that the client may not have yet.
type pendingReceipt struct {
	written time.Time
	settle  func(delivered bool)
}

// wire is what the system knows of a connection. The zero value: nothing.
type wire struct {
	unacked int  // bytes that the client's system has not confirmed
	ended   bool // the client closed its side
	closed  bool // both sides are closed, in good order or by a reset
	reset   bool
}

// await has settle called once, when it is known whether the response written so far arrived.
func (c *receiptConn) await(settle func(delivered bool)) {
	c.mu.Lock()
	c.pending = append(c.pending, pendingReceipt{time.Now(), settle})
	c.waiting.Store(true)
	if c.timer == nil {
		c.timer = time.AfterFunc(c.delay, func() { c.look(false) })
	} else {
		c.timer.Reset(c.delay)
	}
	c.mu.Unlock()
}

// Read passes bytes on and learns from them: a client that asks again, or ends in good order, has read its response.
func (c *receiptConn) Read(p []byte) (int, error) {
	if err := c.reading.begin(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.reading.end()
	switch {
	case err == nil, errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, net.ErrClosed):
	case errors.Is(err, io.EOF):
		c.note(&c.ended)
	default:
		c.note(&c.broken)
	}
	if c.waiting.Load() {
		c.look(n > 0)
	}
	return n, err
}

// Write passes bytes on.
func (c *receiptConn) Write(p []byte) (int, error) {
	if err := c.writing.begin(); err != nil {
		return 0, err
	}
	defer c.writing.end()
	return c.Conn.Write(p)
}

func (c *receiptConn) note(fact *bool) {
	c.mu.Lock()
	*fact = true
	c.mu.Unlock()
}

// look settles what can be told by now. asksAgain: the client has just sent more.
func (c *receiptConn) look(asksAgain bool) {
	c.mu.Lock()
	if len(c.pending) == 0 {
		c.mu.Unlock()
		return
	}
	w := probe(c.Conn)
	var done []func()
	for len(c.pending) > 0 {
		first := c.pending[0]
		delivered, known := c.judge(w, asksAgain, time.Since(first.written))
		if !known {
			break
		}
		done = append(done, func() { first.settle(delivered) })
		c.pending = c.pending[1:]
	}
	if len(c.pending) > 0 {
		pause := c.delay
		if c.closing && time.Since(c.pending[0].written) < c.delay {
			pause = closingLook // nobody reads any more, who would tell us of the client's end
		}
		c.timer.Reset(pause)
	} else {
		c.waiting.Store(false)
		c.timer.Stop()
		if c.closing {
			_ = c.Conn.Close() // nobody is left to tell
		}
	}
	c.mu.Unlock()
	for _, settle := range done {
		settle()
	}
}

// judge tells whether a response written age ago was delivered, if that can be known.
func (c *receiptConn) judge(w wire, asksAgain bool, age time.Duration) (delivered, known bool) {
	switch {
	case c.broken || w.reset || (w.closed && !c.closing): // while we are open, only a reset closes both sides
		return false, true
	case w.unacked > 0: // even after the client's end: it may have left without reading, and then a reset follows
		return false, age > settleLimit
	case asksAgain || c.ended || w.ended || w.closed:
		return true, true
	}
	return true, age >= c.delay
}

// Close ends the connection. While receipts are pending only our side is closed, since closing all of it would also
// close the view on what the client does with the rest.
func (c *receiptConn) Close() error {
	c.mu.Lock()
	if len(c.pending) == 0 {
		c.mu.Unlock()
		return c.Conn.Close()
	}
	c.closing = true
	c.mu.Unlock()
	err := c.CloseWrite()
	_ = c.SetReadDeadline(time.Unix(1, 0)) // whoever still reads is to stop
	c.look(false)
	return err
}

// SetReadDeadline is for reading.
func (c *receiptConn) SetReadDeadline(t time.Time) error { return c.reading.want(t) }

// SetWriteDeadline is for writing.
func (c *receiptConn) SetWriteDeadline(t time.Time) error { return c.writing.want(t) }

// SetDeadline is for both.
func (c *receiptConn) SetDeadline(t time.Time) error {
	return errors.Join(c.reading.want(t), c.writing.want(t))
}

// CloseWrite closes our side only; net/http asks for it by this name.
func (c *receiptConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
