package route

import (
	"context"
	"net"
	"time"

	"github.com/gomodule/redigo/redis"
)

// interruptible is a connection whose DoContext ends with its context, also while the server blocks.
type interruptible struct {
	redis.Conn
	socket net.Conn
}

func (c interruptible) DoWithTimeout(timeout time.Duration, command string, args ...any) (any, error) {
	return redis.DoWithTimeout(c.Conn, timeout, command, args...)
}

func (c interruptible) ReceiveWithTimeout(timeout time.Duration) (any, error) {
	return redis.ReceiveWithTimeout(c.Conn, timeout)
}

// ReceiveContext completes redis.ConnWithContext. Nothing calls it.
func (c interruptible) ReceiveContext(ctx context.Context) (any, error) {
	return redis.ReceiveContext(c.Conn, ctx)
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
	reply, err := redis.DoWithTimeout(c.Conn, timeout, command, args...)
	if !stop() {
		_ = c.Close() // so that the pool drops it, even if the reply was faster
		if err != nil {
			err = ctx.Err()
		}
	}
	return reply, err
}
