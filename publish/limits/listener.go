package limits

import (
	"container/list"
	"net"
)

// client is a network with open connections.
type client struct {
	open  int
	order list.List // like Limits.order
}

// Listener wraps the connections that inner accepts. If there are too many, a connection that no handler works for makes room:
// the one that has waited longest, of the client that has too many, or of all. So a client that opens connections without
// using them shuts nobody out. If handlers work for all of them, the new one is closed.
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
	var crowd *list.List
	switch {
	case c.client != "" && own.open >= l.opts.PerClient:
		crowd = &own.order
	case l.open >= l.opts.Connections:
		crowd = &l.order
	}
	if crowd != nil {
		if displaced = firstWaiting(crowd); displaced == nil {
			l.metrics.refused.Inc()
			return nil, false
		}
		l.metrics.displaced.Inc()
		l.remove(displaced)
	}
	l.clients[c.client] = own // remove may have removed it
	own.open++
	l.open++
	c.inAll, c.inClient = l.order.PushBack(c), own.order.PushBack(c)
	return displaced, true
}

// firstWaiting returns the first connection that no handler works for, or nil.
func firstWaiting(order *list.List) *conn {
	for e := order.Front(); e != nil; e = e.Next() {
		if c, _ := e.Value.(*conn); !c.serving.Load() {
			return c
		}
	}
	return nil
}

// remove ends the count of a connection. It is a no-op if the connection does not count. The caller holds l.mu.
func (l *Limits) remove(c *conn) {
	if c.inAll == nil {
		return
	}
	own := l.clients[c.client]
	l.order.Remove(c.inAll)
	own.order.Remove(c.inClient)
	c.inAll, c.inClient = nil, nil
	l.open--
	if own.open--; own.open == 0 {
		delete(l.clients, c.client)
	}
}
