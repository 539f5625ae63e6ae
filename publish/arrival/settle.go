package arrival

import "time"

// response is a response that was written to the socket. Its arrival is not known yet.
type response struct {
	written time.Time
	settle  func(delivered bool)
}

// state is the kernel's view of a connection. The zero value means that the view is unavailable.
type state struct {
	unacked int  // bytes that the client's system has not acknowledged
	ended   bool // the client closed its side
	closed  bool // both sides are closed, in good order or by a reset
	reset   bool
}

// Await calls settle once, as soon as it is known whether the response written so far arrived. A response whose Write failed
// has not arrived: the system reports a reset only once, to whichever call comes first. last is Request.Close. If it is true,
// the response must be complete, with its Content-Length: what follows is held back until the response is settled.
func (c *Conn) Await(last bool, settle func(delivered bool)) {
	c.mu.Lock()
	c.last = last
	c.pending = append(c.pending, response{time.Now(), settle})
	c.waiting.Store(true)
	if c.timer == nil {
		c.timer = time.AfterFunc(c.delay, c.Check)
	} else {
		c.timer.Reset(c.delay)
	}
	c.mu.Unlock()
}

// Check calls settle for each pending response whose arrival or loss is known.
func (c *Conn) Check() { c.check(false) }

// check implements Check. asksAgain is true if the client has just sent another request.
func (c *Conn) check(asksAgain bool) {
	c.mu.Lock()
	if len(c.pending) == 0 {
		c.mu.Unlock()
		return
	}
	s := probe(c.Conn)
	var settled []func()
	for len(c.pending) > 0 {
		first := c.pending[0]
		delivered, known := c.judge(s, asksAgain, time.Since(first.written))
		if !known {
			break
		}
		settled = append(settled, func() { first.settle(delivered) })
		c.pending = c.pending[1:]
	}
	end := len(c.pending) == 0 && c.closing
	if len(c.pending) > 0 {
		pause := c.delay
		if c.closing && time.Since(c.pending[0].written) < c.delay {
			pause = closingPoll // no Read is left that would notice the client's end
		}
		c.timer.Reset(pause)
	} else {
		c.waiting.Store(false)
		c.timer.Stop()
	}
	c.mu.Unlock()
	for _, settle := range settled {
		settle()
	}
	if end {
		_ = c.end() // there is no one to report it to
	}
}

// judge reports whether a response written age ago was delivered, if that is known.
func (c *Conn) judge(s state, asksAgain bool, age time.Duration) (delivered, known bool) {
	switch {
	case c.broken || s.reset || s.closed && c.open(): // while the server's side is open, only a reset closes both
		return false, true
	case s.unacked > 0: // even after the client's end: it may have left without reading, and then a reset follows
		return false, age > settleLimit
	case asksAgain || c.ended || s.ended || s.closed:
		return true, true
	}
	return true, age >= c.delay
}
