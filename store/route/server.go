package route

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/address"
)

// connectTimeout bounds opening a connection. A hung server still accepts connections, so this is no health check.
const connectTimeout = time.Second

// Pool lends connections. Close of a connection returns it.
type Pool interface {
	GetContext(ctx context.Context) (redis.Conn, error)
	Stats() redis.PoolStats
	// FailoverEpoch counts how often another server took over keys. It may not know the last writes that the old one acknowledged.
	FailoverEpoch() uint64
	Close() error
}

// Options configure the connections.
type Options struct {
	Size    int                                                                  // maximum number of connections to each server
	Timeout time.Duration                                                        // of reading or writing one command
	Dial    func(ctx context.Context, network, address string) (net.Conn, error) // default: net.Dialer
	tls     *tls.Config                                                          // if the address requires TLS
}

// New returns the pool for an address. It does not connect. It fails if a file for TLS cannot be read.
func New(a address.Address, o Options) (Pool, error) {
	if a.TLS {
		var err error
		if o.tls, err = tlsConfig(a.Files); err != nil {
			return nil, err
		}
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: connectTimeout, KeepAlive: time.Minute}).DialContext
	}
	switch {
	case a.Kind == address.Sentinel:
		return newSentinel(a, o), nil
	case a.Kind == address.Cluster:
		return &Cluster{at: a, opts: o, nodes: make(map[string]*server), stale: true}, nil
	case a.Socket != "":
		return newServer(o, func(ctx context.Context) (redis.Conn, error) { return o.connect(ctx, a, "unix", a.Socket) }), nil
	}
	return newServer(o, func(ctx context.Context) (redis.Conn, error) { return o.connect(ctx, a, "tcp", a.Hosts[0]) }), nil
}

// connect opens a connection to a Redis at an address.
func (o Options) connect(ctx context.Context, a address.Address, network, host string) (redis.Conn, error) {
	var socket net.Conn
	c, err := redis.DialContext(ctx, network, host, append(o.dialing(o.Timeout, func(c net.Conn) { socket = c }),
		redis.DialUsername(a.Login.User), redis.DialPassword(a.Login.Password), redis.DialDatabase(a.Database))...)
	if err != nil {
		return nil, err
	}
	return interruptible{c.(fullConn), socket}, nil
}

// dialing are the options of a connection. It passes the socket below TLS to opened.
func (o Options) dialing(timeout time.Duration, opened func(net.Conn)) []redis.DialOption {
	return []redis.DialOption{
		redis.DialReadTimeout(timeout),
		redis.DialWriteTimeout(timeout),
		redis.DialUseTLS(o.tls != nil),
		redis.DialTLSConfig(o.tls),
		redis.DialTLSHandshakeTimeout(timeout),
		redis.DialContextFunc(func(ctx context.Context, network, host string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, connectTimeout)
			defer cancel()
			c, err := o.Dial(ctx, network, host)
			if err != nil {
				return nil, err
			}
			opened(c)
			return Buffered(c), nil
		}),
	}
}

// server is the pool of one server. Callers wait for a connection here and not in the library, which may send on a closed channel if
// the pool is closed meanwhile, as for a node that has left its cluster (redigo 1.9.3, waitVacantConn).
type server struct {
	*redis.Pool
	lent        chan struct{} // has one element for each lent connection
	closed      chan struct{}
	closing     sync.Once
	waits       atomic.Int64
	waited      atomic.Int64 // nanoseconds
	lastFailure atomic.Int64 // Unix nanoseconds: connections last used before it are dropped
	epoch       atomic.Uint64
}

func newServer(o Options, connect func(context.Context) (redis.Conn, error)) *server {
	s := &server{lent: make(chan struct{}, o.Size), closed: make(chan struct{})}
	s.Pool = &redis.Pool{
		DialContext: connect,
		MaxIdle:     o.Size,
		IdleTimeout: 5 * time.Minute,
		// After a restart of the server each idle connection would fail once. Those last used before the last failure are
		// dropped instead; a PING at each borrow would cost twice as much as the call it protects.
		TestOnBorrow: func(_ redis.Conn, lastUsed time.Time) error {
			if lastUsed.UnixNano() <= s.lastFailure.Load() {
				return errors.New("the server failed since this connection was used")
			}
			return nil
		},
	}
	return s
}

// GetContext lends a connection.
func (s *server) GetContext(ctx context.Context) (redis.Conn, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	c, err := s.Pool.GetContext(ctx)
	if err != nil {
		<-s.lent
		select {
		case <-s.closed: // the library has no error value for it
			return nil, net.ErrClosed
		default:
			return nil, err
		}
	}
	return &lent{fullConn: c.(fullConn), server: s}, nil
}

// wait waits until one more connection may be lent.
func (s *server) wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.lent <- struct{}{}:
		return nil
	default:
	}
	begun := time.Now()
	defer func() {
		s.waits.Add(1)
		s.waited.Add(int64(time.Since(begun)))
	}()
	select {
	case s.lent <- struct{}{}:
		return nil
	case <-s.closed:
		return net.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stats counts the connections, and the waits for one.
func (s *server) Stats() redis.PoolStats {
	stats := s.Pool.Stats()
	stats.WaitCount, stats.WaitDuration = s.waits.Load(), time.Duration(s.waited.Load())
	return stats
}

// FailoverEpoch counts how often another server took over. A single server has no failovers.
func (s *server) FailoverEpoch() uint64 { return s.epoch.Load() }

// Close closes the connections, lent ones when they are returned, and ends all waits.
func (s *server) Close() error {
	s.closing.Do(func() { close(s.closed) })
	return s.Pool.Close()
}

// lent is a connection that records a failure at its server when it is returned.
type lent struct {
	fullConn
	server    *server
	back      bool
	cancelled bool // by the caller: the server has not failed
}

func (l *lent) DoContext(ctx context.Context, command string, args ...any) (any, error) {
	reply, err := l.fullConn.DoContext(ctx, command, args...)
	l.cancelled = errors.Is(ctx.Err(), context.Canceled)
	return reply, err
}

// Close returns the connection. A second call is a no-op.
func (l *lent) Close() error {
	if l.back {
		return nil
	}
	l.back = true
	if l.Err() != nil && !l.cancelled {
		l.server.lastFailure.Store(time.Now().UnixNano())
	}
	err := l.fullConn.Close()
	<-l.server.lent
	return err
}
