package route

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/address"
)

const (
	// watchEvery is how often each Sentinel is asked for the master. Writes to the old master between a planned switch and the next
	// question are lost, so it is short.
	watchEvery = 200 * time.Millisecond

	// reportTTL is how long the last report of a Sentinel is used.
	reportTTL = 3 * time.Second
)

// sentinel is a pool of connections to the master that Sentinels name. It watches all Sentinels: after a planned switch the old master
// accepts writes for seconds, and loses them.
type sentinel struct {
	*server
	at     address.Address
	opts   Options
	start  sync.Once
	ctx    context.Context // of the watch, ends with Close
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu      sync.Mutex // guards what follows; held briefly
	reports map[string]report
	master  string        // host:port; empty: unknown
	found   chan struct{} // closed when the master is known
	failure error         // of a Sentinel that did not report
}

// report is the master that a Sentinel names. The epoch counts failovers.
type report struct {
	master string
	epoch  int64
	at     time.Time
}

func newSentinel(a address.Address, o Options) *sentinel {
	s := &sentinel{at: a, opts: o, reports: make(map[string]report), found: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.server = newServer(o, s.connect)
	stale := s.TestOnBorrow
	s.TestOnBorrow = func(c redis.Conn, lastUsed time.Time) error {
		if master, _ := s.current(); c.(toMaster).host != master {
			return errors.New("another server is the master now")
		}
		return stale(c, lastUsed)
	}
	return s
}

// GetContext lends a connection to the master. The first call starts the watch.
func (s *sentinel) GetContext(ctx context.Context) (redis.Conn, error) {
	s.start.Do(func() {
		for _, host := range s.at.Hosts {
			s.done.Go(func() { s.watch(host) })
		}
	})
	return s.server.GetContext(ctx)
}

// Close ends the watch and closes the connections.
func (s *sentinel) Close() error {
	s.start.Do(func() {})
	s.cancel()
	s.done.Wait()
	return s.server.Close()
}

// toMaster is a connection and its server.
type toMaster struct {
	interruptible
	host string
}

// connect opens a connection to the master, when it is known, and checks its role.
func (s *sentinel) connect(ctx context.Context) (redis.Conn, error) {
	select {
	case <-s.found:
	case <-s.ctx.Done():
		return nil, net.ErrClosed
	case <-ctx.Done():
		_, err := s.current()
		return nil, fmt.Errorf("no Sentinel names the master of %s: %w", s.at.Master, errors.Join(err, ctx.Err()))
	}
	host, _ := s.current()
	c, err := s.opts.connect(ctx, s.at, "tcp", host)
	if err != nil {
		return nil, err
	}
	role, err := redis.Values(c.Do("ROLE"))
	if err == nil {
		var is string
		if is, err = redis.String(role[0], nil); err == nil && is != "master" {
			err = redis.Error("READONLY " + host + " is a " + is + ", but the Sentinels name it as the master of " + s.at.Master)
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return toMaster{c.(interruptible), host}, nil
}

// current returns the master, and the last failure of a Sentinel.
func (s *sentinel) current() (host string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.master, s.failure
}

// watch asks one Sentinel for the master, until Close.
func (s *sentinel) watch(host string) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var c redis.Conn
	for s.ctx.Err() == nil {
		var err error
		if c == nil {
			c, err = redis.DialContext(s.ctx, "tcp", host, append(s.opts.dialing(connectTimeout, func(net.Conn) {}),
				redis.DialUsername(s.at.Sentinel.User), redis.DialPassword(s.at.Sentinel.Password))...)
		}
		if err == nil {
			var reported report
			if reported, err = s.read(c); err == nil {
				s.accept(host, reported)
			}
		}
		if err != nil {
			s.mu.Lock()
			s.failure = fmt.Errorf("sentinel %s: %w", host, err)
			s.mu.Unlock()
			if c != nil {
				_ = c.Close() // it is opened again
				c = nil
			}
		}
		select {
		case <-tick.C:
		case <-s.ctx.Done():
		}
	}
	if c != nil {
		_ = c.Close() // only read from
	}
}

// read reads the report of a Sentinel. During a failover the address names the new master before the record does.
func (s *sentinel) read(c redis.Conn) (report, error) {
	record, err := redis.StringMap(c.Do("SENTINEL", "MASTER", s.at.Master))
	if err != nil {
		return report{}, err
	}
	host, err := redis.Strings(c.Do("SENTINEL", "GET-MASTER-ADDR-BY-NAME", s.at.Master))
	if err != nil {
		return report{}, err
	}
	if len(host) != 2 {
		return report{}, fmt.Errorf("it answered %q for the address of %s", host, s.at.Master)
	}
	epoch, err := strconv.ParseInt(record["config-epoch"], 10, 64)
	return report{net.JoinHostPort(host[0], host[1]), epoch, time.Now()}, err
}

// accept stores the report of a Sentinel. The master is that of the report with the latest failover.
func (s *sentinel) accept(host string, reported report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reports[host] = reported
	best := reported
	for _, r := range s.reports {
		if reported.at.Sub(r.at) < reportTTL && r.epoch > best.epoch {
			best = r
		}
	}
	if s.master == "" {
		close(s.found)
	} else if s.master != best.master {
		s.epoch.Add(1)
	}
	s.master = best.master
}
