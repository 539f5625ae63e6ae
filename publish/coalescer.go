package publish

import (
	"context"
	"errors"
	"sync"
)

// errPanicked is what the others get if the request that refreshed for all of them panicked.
var errPanicked = errors.New("refresh of the feed: panic")

// coalescer lets many requests share one refresh, without giving any of them an older state than it would have read alone:
// a request joins only a refresh that starts after it came. At most one refresh runs and one waits.
type coalescer struct {
	mu      sync.Mutex
	running bool
	next    *refresh // waits for the running one to end; nil: none
}

type refresh struct {
	turn   chan struct{} // closed when it may start
	done   chan struct{} // closed when response is set
	strict bool          // a request depends on the impressions of earlier fetches
	response
}

// do returns the result of a call of f that begins after this call of do. The first of those who share a call makes it,
// even if its own client has left, because the others depend on it.
func (c *coalescer) do(ctx context.Context, strict bool, f func(ctx context.Context, strict bool) response) response {
	c.mu.Lock()
	r, leads := c.next, c.next == nil
	if leads {
		r = &refresh{turn: make(chan struct{}), done: make(chan struct{})}
		c.next = r
	}
	r.strict = r.strict || strict
	if leads && !c.running {
		c.start()
	}
	c.mu.Unlock()
	if !leads {
		select {
		case <-r.done:
			return r.response
		case <-ctx.Done():
			return response{err: ctx.Err()}
		}
	}
	<-r.turn
	defer c.end(r)
	r.response = response{err: errPanicked}
	r.response = f(context.WithoutCancel(ctx), r.strict)
	return r.response
}

// start lets the waiting refresh begin. c.mu is held.
func (c *coalescer) start() {
	c.running = c.next != nil
	if c.running {
		close(c.next.turn)
		c.next = nil
	}
}

func (c *coalescer) end(r *refresh) {
	close(r.done)
	c.mu.Lock()
	c.start()
	c.mu.Unlock()
}
