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
	// watchEvery is how often each Sentinel is asked who the master is. What is written to the old master between a planned
	// switch and the next question is lost, so this is short.
	watchEvery = 200 * time.Millisecond

	// opinionHolds is how long the word of a Sentinel counts that answers no more.
	opinionHolds = 3 * time.Second
)

// sentinel is a pool of connections to the master that Sentinels name. Asking only when a connection is opened is not
// enough: after a planned switch the old master takes writes for seconds, and forgets them.
type sentinel struct {
	*server
	at     address.Address
	opts   Options
	start  sync.Once
	ctx    context.Context // of the watch, ends with Close
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu       sync.Mutex // guards what follows; held briefly
	opinions map[string]opinion
	master   string        // host:port; empty: not known yet
	told     chan struct{} // closed when the master is known
	failure  error         // of the last question that was not answered
}

// opinion is who a Sentinel says is the master. The epoch counts fail-overs.
type opinion struct {
	master string
	epoch  int64
	at     time.Time
}

func newSentinel(a address.Address, o Options) *sentinel {
	s := &sentinel{at: a, opts: o, opinions: make(map[string]opinion), told: make(chan struct{})}
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

// toMaster is a connection that knows where it leads to.
type toMaster struct {
	interruptible
	host string
}

// connect opens a connection to the master, as soon as it is known, and makes sure that it is one.
func (s *sentinel) connect(ctx context.Context) (redis.Conn, error) {
	select {
	case <-s.told:
	case <-s.ctx.Done():
		return nil, net.ErrClosed
	case <-ctx.Done():
		_, err := s.current()
		return nil, fmt.Errorf("no Sentinel says who is the master of %s: %w", s.at.Master, errors.Join(err, ctx.Err()))
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
			err = redis.Error("READONLY " + host + " is a " + is + ", and the Sentinels call it the master of " + s.at.Master)
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return toMaster{c.(interruptible), host}, nil
}

// current is the master, and why not where it is not known.
func (s *sentinel) current() (host string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.master, s.failure
}

// watch asks one Sentinel again and again.
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
			var o opinion
			if o, err = s.ask(c); err == nil {
				s.hear(host, o)
			}
		}
		if err != nil {
			s.mu.Lock()
			s.failure = fmt.Errorf("sentinel %s: %w", host, err)
			s.mu.Unlock()
			if c != nil {
				_ = c.Close() // it has failed, or is opened anew
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

// ask asks a Sentinel. During a fail-over the address is that of the new master before its record is.
func (s *sentinel) ask(c redis.Conn) (opinion, error) {
	record, err := redis.StringMap(c.Do("SENTINEL", "MASTER", s.at.Master))
	if err != nil {
		return opinion{}, err
	}
	host, err := redis.Strings(c.Do("SENTINEL", "GET-MASTER-ADDR-BY-NAME", s.at.Master))
	if err != nil {
		return opinion{}, err
	}
	if len(host) != 2 {
		return opinion{}, fmt.Errorf("it answered %q for the address of %s", host, s.at.Master)
	}
	epoch, err := strconv.ParseInt(record["config-epoch"], 10, 64)
	return opinion{net.JoinHostPort(host[0], host[1]), epoch, time.Now()}, err
}

// hear notes what a Sentinel says. Believed is who knows of the latest fail-over.
func (s *sentinel) hear(host string, said opinion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opinions[host] = said
	best := said
	for _, o := range s.opinions {
		if said.at.Sub(o.at) < opinionHolds && o.epoch > best.epoch {
			best = o
		}
	}
	if s.master == "" {
		close(s.told)
	} else if s.master != best.master {
		s.epoch.Add(1)
	}
	s.master = best.master
}
