package embedded

import (
	"net"
	"sync"
)

// queuedConn is the server's end of an in-memory connection. Its writes do not wait for the client: a client that sends a long pipeline
// reads the first reply after the last command, and without a queue both ends would wait forever. A real server queues its replies,
// too. The queue is bounded by the replies that the client has not read.
type queuedConn struct {
	net.Conn

	mu     sync.Mutex
	change *sync.Cond // on mu: the queue has grown, or closed
	queue  []byte
	closed bool
}

func (c *queuedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, net.ErrClosed
	}
	c.queue = append(c.queue, p...)
	c.change.Signal()
	return len(p), nil
}

func (c *queuedConn) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.change.Signal()
	return c.Conn.Close()
}

// flush writes the queue to the client until either end closes.
func (c *queuedConn) flush() {
	var batch []byte
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.closed {
			c.change.Wait()
		}
		batch, c.queue = c.queue, batch[:0]
		closed := c.closed
		c.mu.Unlock()
		if closed {
			return
		}
		if _, err := c.Conn.Write(batch); err != nil {
			_ = c.Close() // the client has closed its end
			return
		}
	}
}
