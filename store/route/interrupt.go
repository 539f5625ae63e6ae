package route

import (
	"context"
	"net"
	"time"

	"github.com/gomodule/redigo/redis"
)

// fullConn has all methods of the connections of the client library.
type fullConn interface {
	redis.ConnWithTimeout
	redis.ConnWithContext
}

// interruptible is a connection whose DoContext ends with its context, also while the server blocks.
type interruptible struct {
	fullConn
	socket net.Conn
}

// DoContext sends one command and waits for its reply until the context ends, whatever the read timeout of the connection is.
// If the context ends, the connection is closed. The client's own DoContext waits no longer than the read timeout, and leaves a
// goroutine behind (redigo 1.9.3).
func (c interruptible) DoContext(ctx context.Context, command string, args ...any) (any, error) {
	var timeout time.Duration // none
	if deadline, ok := ctx.Deadline(); ok {
		if timeout = time.Until(deadline); timeout <= 0 {
			return nil, context.DeadlineExceeded
		}
	}
	stop := context.AfterFunc(ctx, func() { _ = c.socket.Close() }) // the read fails
	reply, err := c.DoWithTimeout(timeout, command, args...)
	if !stop() {
		_ = c.Close() // so that the pool drops it, even if the reply was faster
		if err != nil {
			err = ctx.Err()
		}
	}
	return reply, err
}
