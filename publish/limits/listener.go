package limits

import (
	"container/list"
	"net"
	"time"
)

// client is a network with open connections.
type client struct {
	open  int
	order list.List // of *conn, first the one whose last request ended longest ago
}

// Listener wraps the connections that inner accepts. If there are too many, a connection that waits for its client makes room: of the
// client that has too many, or of the one that has the most. So neither a client that opens connections without using them nor a
// few clients that read their responses slowly shut others out. If handlers work for all connections, the new one is closed.
func (l *Limits) Listener(inner net.Listener) net.Listener { return &listener{inner, l} }

type listener struct {
	net.Listener
	limits *Limits
}

// Accept returns the next connection that may stay.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: accepted, limits: l.limits, client: l.limits.peerOf(accepted)}
		displaced, admitted := l.limits.add(c)
		if displaced != nil {
			_ = displaced.Conn.Close() // its server notices and calls Close
		}
		if admitted {
			return c, nil
		}
		_ = accepted.Close()
	}
}

// add counts a connection if there is room. displaced has to make room for it.
func (l *Limits) add(c *conn) (displaced *conn, admitted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.clients[c.client]
	if own == nil {
		own = new(client)
	}
	if own.open >= l.opts.PerClient && c.client != "" {
		displaced = own.firstWaiting()
	} else if l.open >= l.opts.Connections {
		displaced = l.firstOfMost()
	} else {
		l.count(c, own)
		return nil, true
	}
	if displaced == nil {
		l.metrics.refused.Inc()
		return nil, false
	}
	l.metrics.displaced.Inc()
	l.remove(displaced)
	l.count(c, own)
	return displaced, true
}

// count adds a connection to those of its client. The caller holds l.mu.
func (l *Limits) count(c *conn, own *client) {
	l.clients[c.client] = own // remove may have removed it
	own.open++
	l.open++
	c.since, c.own, c.element = time.Now(), own, own.order.PushBack(c)
}

// firstOfMost returns the first connection that waits for its client, of the client that has the most connections, or nil. A trusted
// proxy counts as a client with none, because its connections belong to many. The caller holds l.mu.
func (l *Limits) firstOfMost() (first *conn) {
	most := -1
	for name, c := range l.clients {
		open := c.open
		if name == "" {
			open = 0
		}
		if open < most {
			continue
		}
		if waiting := c.firstWaiting(); waiting != nil && (open > most || waiting.since.Before(first.since)) {
			first, most = waiting, open
		}
	}
	return first
}

// firstWaiting returns the first connection that waits for its client, or nil. One without a request comes first.
func (c *client) firstWaiting() (stuck *conn) {
	for e := c.order.Front(); e != nil; e = e.Next() {
		switch c, _ := e.Value.(*conn); {
		case !c.serving.Load():
			return c
		case stuck == nil && c.isStuck():
			stuck = c
		}
	}
	return stuck
}

// remove ends the count of a connection. It is a no-op if the connection does not count. The caller holds l.mu.
func (l *Limits) remove(c *conn) {
	if c.element == nil {
		return
	}
	c.own.order.Remove(c.element)
	c.element = nil
	l.open--
	if c.own.open--; c.own.open == 0 {
		delete(l.clients, c.client)
	}
}
