package arrival

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Conn is a connection that decides whether the responses written to it arrived.
type Conn struct {
	net.Conn
	raw              syscall.RawConn // nil: there is none
	settle           time.Duration
	reading, writing timeout
	sent             atomic.Int64 // bytes written
	waiting          atomic.Bool  // len(pending) > 0
	ended            atomic.Bool  // the client closed its side

	mu       sync.Mutex
	pending  []response // oldest first
	seen     state      // at the last check
	progress time.Time  // when more bytes were acknowledged, or the first pending response was written
	pause    time.Duration
	timer    *time.Timer
	broken   bool // the connection was reset
	closing  bool // the server closed the connection; it stays open for the pending responses
	halved   bool // the server's side is closed
}

func newConn(c net.Conn, settle time.Duration) *Conn {
	watched := &Conn{Conn: c, settle: settle, reading: timeout{set: c.SetReadDeadline}, writing: timeout{set: c.SetWriteDeadline}}
	if sc, ok := c.(syscall.Conn); ok {
		watched.raw, _ = sc.SyscallConn() // without it nothing is known, as on other systems
	}
	return watched
}

// Read reads from the connection. What the client sends, its end and a reset can settle a response.
func (c *Conn) Read(p []byte) (int, error) {
	if err := c.reading.begin(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.reading.end()
	c.note(err)
	if errors.Is(err, io.EOF) {
		c.ended.Store(true)
	}
	if c.waiting.Load() {
		c.Check()
	}
	return n, err
}

// Write writes to the connection.
func (c *Conn) Write(p []byte) (int, error) {
	if err := c.writing.begin(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	c.writing.end()
	c.sent.Add(int64(n))
	c.note(err)
	return n, err
}

// Ended reports whether the client closed its side.
func (c *Conn) Ended() bool { return c.ended.Load() }

// note remembers a reset: the system reports it only once, to whichever call comes first.
func (c *Conn) note(err error) {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed) {
		return
	}
	c.mu.Lock()
	c.broken = true
	c.mu.Unlock()
}

// Close closes the connection, once all responses are settled. The server's side closes when the client's system has
// acknowledged them, unless the client closed its side before: a connection closed on both sides shows no reset.
func (c *Conn) Close() error {
	c.mu.Lock()
	if len(c.pending) == 0 {
		c.mu.Unlock()
		return c.Conn.Close()
	}
	c.closing = true
	c.mu.Unlock()
	err := c.SetReadDeadline(time.Unix(1, 0)) // ends a Read that is under way
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

// CloseWrite closes the server's side. net/http calls it before Close when a client may still send.
func (c *Conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || c.waiting.Load() {
		return nil // Close follows
	}
	return half.CloseWrite()
}
