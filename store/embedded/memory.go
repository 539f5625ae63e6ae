package embedded

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// memory is a Redis in this process, which stores nothing on disk.
type memory struct {
	redis  *miniredis.Miniredis
	server *server.Server
	work   sync.WaitGroup // the clock and one writer for each connection
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex // prevents that dial starts work after close
}

func startMemory(now func() time.Time) (*memory, error) {
	redis := miniredis.NewMiniRedis()
	conn, err := redis.Dial() // creates the server, without a listener
	if err != nil {
		return nil, err
	}
	_ = conn.Close() // nothing was sent
	m := &memory{redis: redis, server: redis.Server()}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.work.Go(func() { m.expireKeys(now) })
	return m, nil
}

// expireKeys moves the clock of miniredis by which keys expire, once a second: its option to follow the time sorts all keys on each
// command. Stream ids follow time.Now.
func (m *memory) expireKeys(now func() time.Time) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for last := now(); ; {
		select {
		case <-m.ctx.Done():
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
	if m.ctx.Err() != nil {
		return nil, net.ErrClosed
	}
	client, peer := net.Pipe()
	conn := &queuedConn{Conn: peer}
	conn.change = sync.NewCond(&conn.mu)
	m.work.Go(conn.flush)
	m.server.ServeConn(conn)
	return client, nil
}

func (m *memory) kind() string { return "memory" }

func (m *memory) close() error {
	m.mu.Lock()
	first := m.ctx.Err() == nil
	m.cancel()
	m.mu.Unlock()
	if first {
		m.redis.CtxCancel()
		m.redis.FlushAll() // ends blocking commands; Close alone can miss one that is about to wait
		m.redis.Close()
	}
	m.work.Wait()
	return nil
}
