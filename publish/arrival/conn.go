package arrival

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Conn is a connection that decides whether the responses written to it arrived.
type Conn struct {
	net.Conn
	delay            time.Duration
	reading, writing timeout
	waiting          atomic.Bool // len(pending) > 0

	mu      sync.Mutex
	pending []response // oldest first
	ended   bool       // the client closed its side in good order
	broken  bool       // the connection was reset
	last    bool       // no response follows the pending ones
	held    []byte     // written after the last response
	closing bool       // the server closed the connection; it stays open, or half open, for the pending responses
	timer   *time.Timer
}

func newConn(c net.Conn, delay time.Duration) *Conn {
	return &Conn{Conn: c, delay: delay, reading: timeout{set: c.SetReadDeadline}, writing: timeout{set: c.SetWriteDeadline}}
}

// Read reads from the connection. A client that sends another request or closes its side has read its response.
func (c *Conn) Read(p []byte) (int, error) {
	if err := c.reading.begin(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.reading.end()
	switch {
	case err == nil, errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, net.ErrClosed):
	case errors.Is(err, io.EOF):
		c.mark(&c.ended)
	default:
		c.mark(&c.broken)
	}
	if c.waiting.Load() {
		c.check(n > 0)
	}
	return n, err
}

func (c *Conn) mark(fact *bool) {
	c.mu.Lock()
	*fact = true
	c.mu.Unlock()
}

// Write writes to the connection. After the last response TLS writes its close_notify alert. Write holds it back while the
// response is pending. Otherwise a client that has read its response, but leaves without reading the alert, would cause a
// reset, like a client that has not read its response.
func (c *Conn) Write(p []byte) (int, error) {
	if c.waiting.Load() && c.hold(p) {
		return len(p), nil
	}
	if err := c.writing.begin(); err != nil {
		return 0, err
	}
	defer c.writing.end()
	return c.Conn.Write(p)
}

// hold keeps p for later if the last response is pending.
func (c *Conn) hold(p []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.last || len(c.pending) == 0 {
		return false
	}
	c.held = append(c.held, p...)
	return true
}

// open reports whether the server's side of the connection is open.
func (c *Conn) open() bool { return !c.closing || c.held != nil }

// end sends what was held back and closes the connection.
func (c *Conn) end() error {
	if c.held != nil {
		_ = c.Conn.SetWriteDeadline(time.Now().Add(time.Second)) // a lost client may have left no space for it
		_, _ = c.Conn.Write(c.held)
	}
	return c.Conn.Close()
}

// Close closes the connection. While responses are pending it closes at most the write side: otherwise what the client does
// with the rest could not be observed.
func (c *Conn) Close() error {
	c.mu.Lock()
	if len(c.pending) == 0 {
		c.mu.Unlock()
		return c.end()
	}
	c.closing = true
	open := c.open()
	c.mu.Unlock()
	var err error
	if !open {
		err = c.CloseWrite()
	}
	_ = c.SetReadDeadline(time.Unix(1, 0)) // ends a Read that is under way
	c.Check()
	return err
}

// SetReadDeadline sets the deadline for Read.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.reading.want(t) }

// SetWriteDeadline sets the deadline for Write.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.writing.want(t) }

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.reading.want(t), c.writing.want(t))
}

// CloseWrite closes the write side. net/http looks for a method of this name.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
