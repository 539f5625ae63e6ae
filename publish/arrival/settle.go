package arrival

import "time"

const (
	firstPause  = time.Millisecond      // between checks of a response that is not acknowledged; doubles
	longPause   = 50 * time.Millisecond // the longest; also between checks of a connection that is not being read
	endPause    = 20 * time.Millisecond // from the acknowledgement of the last response to the end of the server's side
	stallLimit  = 30 * time.Second      // a response of which nothing is acknowledged for that long is lost
	settleLimit = 10 * time.Minute      // a response that is not acknowledged by then is lost
)

// response is a response that was written to the socket. Its arrival is not known yet.
type response struct {
	settle    func(delivered bool)
	written   time.Time
	end       int64     // bytes of the connection up to its last one
	acked     time.Time // when its acknowledgement was noticed; zero: not yet
	received  uint64    // bytes that the client had sent by then, at least; they prove nothing
	delivered bool      // valid once it is known
}

// state is the system's view of a connection. The zero value means that the view is unavailable.
type state struct {
	known    bool
	acked    int64  // bytes that the client's system has acknowledged
	received uint64 // bytes that came from the client
	segments uint32 // that came from the client's system, with and without bytes
	ended    bool   // the client closed its side
	closed   bool   // both sides are closed, in good order or by a reset
	reset    bool   // or closed by this side, with responses pending
}

// Await calls settle once, as soon as it is known whether the response written so far arrived. A response whose Write failed
// has not arrived. The response must be complete, with its Content-Length.
func (c *Conn) Await(settle func(delivered bool)) {
	c.mu.Lock()
	now := time.Now()
	if len(c.pending) == 0 {
		c.progress = now
	}
	c.pending = append(c.pending, response{settle: settle, written: now, end: c.sent.Load()})
	c.pause = firstPause
	c.waiting.Store(true)
	c.mu.Unlock()
	c.Check()
}

// Check calls settle for each pending response whose arrival or loss is known.
func (c *Conn) Check() {
	c.mu.Lock()
	if len(c.pending) == 0 {
		c.mu.Unlock()
		return
	}
	now, s := time.Now(), probe(c.raw)
	c.observe(s, now)
	known := 0
	for ; known < len(c.pending) && c.judge(&c.pending[known], s, now); known++ {
	}
	settled := c.pending[:known]
	c.pending = c.pending[known:]
	end := c.proceed(s, now)
	c.mu.Unlock()
	for _, r := range settled {
		r.settle(r.delivered)
	}
	if end {
		_ = c.Conn.Close() // there is no one to report it to
	}
}

// observe notes what has been acknowledged since the last check. If a single segment came since, it is that segment that
// acknowledged the response, so its bytes were sent after the response was received.
func (c *Conn) observe(s state, now time.Time) {
	before := s.received
	if s.segments == c.seen.segments+1 {
		before = c.seen.received
	}
	for i := range c.pending {
		r := &c.pending[i]
		if r.acked.IsZero() && (!s.known || s.acked >= r.end) {
			r.acked, r.received = now, before
		}
	}
	if s.acked > c.seen.acked {
		c.progress = now
	}
	c.seen = s
	if s.ended {
		c.ended.Store(true)
	}
	c.broken = c.broken || s.reset || s.closed && !c.halved // only a reset closes both sides
}

// judge reports whether it is known if a response was delivered.
func (c *Conn) judge(r *response, s state, now time.Time) (known bool) {
	r.delivered = !c.broken && !r.acked.IsZero()
	switch {
	case c.broken:
		return true
	case !r.delivered:
		return now.Sub(c.progress) > stallLimit || now.Sub(r.written) > settleLimit
	}
	return s.received > r.received || s.closed || now.Sub(r.acked) >= c.settle
}

// proceed plans the next check, and what Close left to do. It reports whether the connection can be closed.
func (c *Conn) proceed(s state, now time.Time) (end bool) {
	if len(c.pending) == 0 {
		c.pending = nil
		c.waiting.Store(false)
		if c.timer != nil {
			c.timer.Stop()
		}
		return c.closing
	}
	last := c.pending[len(c.pending)-1]
	if c.closing && !c.halved && !s.ended && !last.acked.IsZero() && now.Sub(last.acked) >= endPause {
		c.halved = true
		if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite() // a reset is noticed at the next check
		}
	}
	pause := c.settle - now.Sub(c.pending[0].acked)
	switch {
	case last.acked.IsZero():
		pause = c.pause
		c.pause = min(2*c.pause, longPause)
	case c.closing && !c.halved && !s.ended:
		pause = endPause
	case c.closing:
		pause = min(pause, longPause) // no Read notices what the client does
	}
	if c.timer == nil {
		c.timer = time.AfterFunc(pause, c.Check)
	} else {
		c.timer.Reset(pause)
	}
	return false
}
