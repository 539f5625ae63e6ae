package limits

import (
	"container/list"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// A connection has two buffers of 4 KiB anyway, into which the first bytes of a request are read, so these are free. A parsed
// header takes up to sixteen times its bytes, if it consists of many short lines.
const (
	freeHeader   = 4 << 10
	headerWeight = 16
)

const (
	stuckAfter = 2 * time.Second
	farewell   = 500 * time.Millisecond // for a client that sends a body to read the response before the connection is reset
	writeBlock = 1 << 20                // blocks of 64 KiB double the processor time of a large response
)

// conn is a counted connection.
type conn struct {
	net.Conn
	limits *Limits
	client string // its network; empty: a trusted proxy

	own     *client       // of that name, guarded by Limits.mu
	element *list.Element // of own.order, guarded by Limits.mu; nil: it does not count
	since   time.Time     // when the last request ended, guarded by Limits.mu
	serving atomic.Bool   // a handler has its request
	unread  atomic.Bool   // the body of the last request is not read, so the connection ends with its response
	stuck   atomic.Int64  // since when that waits for the client, in Unix nanoseconds; 0: it does not
	header  atomic.Int64  // bytes read since the last response
	charged atomic.Int64  // memory taken for them
}

// isStuck reports whether a handler has waited for the client for too long to keep its connection if another one needs it.
func (c *conn) isStuck() bool {
	since := c.stuck.Load()
	return since != 0 && time.Now().UnixNano()-since > int64(stuckAfter)
}

// beginWait and endWait enclose a call that waits for the client.
func (c *conn) beginWait() { c.stuck.Store(time.Now().UnixNano()) }
func (c *conn) endWait()   { c.stuck.Store(0) }

// Write writes to the connection, in blocks, so that a client that reads is not taken for one that does not.
func (c *conn) Write(p []byte) (n int, err error) {
	for {
		c.beginWait()
		written, err := c.Conn.Write(p[n:min(len(p), n+writeBlock)])
		c.endWait()
		if n += written; err != nil || n == len(p) {
			return n, err
		}
	}
}

// Read reads from the connection. A header takes its memory from the budget as it grows. Without memory the connection ends,
// because nothing can be answered before the header is complete.
func (c *conn) Read(p []byte) (int, error) {
	if c.unread.Load() {
		return 0, errUnread
	}
	n, err := c.Conn.Read(p)
	if n == 0 || c.serving.Load() {
		return n, err
	}
	more := headerWeight*(c.header.Add(int64(n))-freeHeader) - c.charged.Load()
	if more <= 0 {
		return n, err
	}
	if !c.limits.memory.tryTake(c.client, more) {
		c.limits.metrics.headersRefused.Inc()
		_ = c.Conn.Close()
		return 0, net.ErrClosed
	}
	c.charged.Add(more)
	return n, err
}

// errUnread ends the connection after the response to a request whose body was not read.
var errUnread = errors.New("the rest of the body is not read")

// Close closes the connection and ends its count. A client that sends a body that is not read gets time for the response, because
// closing the connection would reset it.
func (c *conn) Close() error {
	if c.unread.Load() {
		time.AfterFunc(farewell, func() { _ = c.end() })
		return c.CloseWrite()
	}
	return c.end()
}

func (c *conn) end() error {
	err := c.Conn.Close()
	c.limits.mu.Lock()
	c.limits.remove(c)
	c.limits.mu.Unlock()
	c.forgetHeader()
	return err
}

// forgetHeader gives back the memory of the header.
func (c *conn) forgetHeader() {
	c.header.Store(0)
	if charged := c.charged.Swap(0); charged > 0 {
		c.limits.memory.give(c.client, charged, false)
	}
}

// served follows a response: the connection waits for the next request.
func (c *conn) served() {
	c.forgetHeader()
	c.serving.Store(false)
	c.limits.mu.Lock()
	defer c.limits.mu.Unlock()
	if c.element != nil {
		c.since = time.Now()
		c.own.order.MoveToBack(c.element)
	}
}

// SyscallConn lets the server ask the system about the connection.
func (c *conn) SyscallConn() (syscall.RawConn, error) {
	if raw, ok := c.Conn.(syscall.Conn); ok {
		return raw.SyscallConn()
	}
	return nil, syscall.ENOTSUP
}

// CloseWrite closes the write side.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

type connKey struct{}

// ConnContext makes a connection of the Listener known to Handler. It is meant for http.Server.
func (*Limits) ConnContext(ctx context.Context, c net.Conn) context.Context {
	if counted, ok := c.(*conn); ok {
		return context.WithValue(ctx, connKey{}, counted)
	}
	return ctx
}
