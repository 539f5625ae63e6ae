package embedded

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// memory is a Redis in this process that keeps nothing.
type memory struct {
	redis  *miniredis.Miniredis
	server *server.Server
	stop   chan struct{}
	work   sync.WaitGroup // the clock and one writer for each connection

	mu     sync.Mutex // keeps a dial from starting work after close; never held while waiting
	closed bool
}

func startMemory(now func() time.Time) (*memory, error) {
	redis := miniredis.NewMiniRedis()
	conn, err := redis.Dial() // the first one makes the server, without a listener
	if err != nil {
		return nil, err
	}
	_ = conn.Close() // nothing was sent
	m := &memory{redis: redis, server: redis.Server(), stop: make(chan struct{})}
	m.work.Go(func() { m.age(now) })
	return m, nil
}

// age lets keys expire, which they do not by themselves. Once a second: its own clock would sort all keys on each
// command. Stream ids need no help, they follow time.Now.
func (m *memory) age(now func() time.Time) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for last := now(); ; {
		select {
		case <-m.stop:
			return
		case <-tick.C:
			t := now()
			if elapsed := t.Sub(last); elapsed > 0 {
				m.redis.FastForward(elapsed)
			}
			last = t
		}
	}
}

func (m *memory) dial(context.Context) (net.Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, net.ErrClosed
	}
	client, peer := net.Pipe()
	conn := newQueuedConn(peer)
	m.work.Go(conn.flush)
	m.server.ServeConn(conn)
	return client, nil
}

func (m *memory) kind() string { return "memory" }

func (m *memory) close() error {
	m.mu.Lock()
	first := !m.closed
	m.closed = true
	m.mu.Unlock()
	if first {
		close(m.stop)
		m.redis.CtxCancel()
		m.redis.FlushAll() // wakes the blocking commands; a plain Close can miss one that is about to wait
		m.redis.Close()
	}
	m.work.Wait()
	return nil
}
