package route

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/address"
)

// mapEvery is how often, at most, the map of the slots is read because something failed or has moved.
const mapEvery = 100 * time.Millisecond

// Cluster is a pool of connections to a Redis Cluster. Each of them leads every command to the master that has its slot.
type Cluster struct {
	at      address.Address
	opts    Options
	loading sync.Mutex // one reads the map, the others wait for it

	mu     sync.Mutex         // guards what follows; held briefly
	nodes  map[string]*server // by host:port
	owners [slots]string      // host:port; empty: nobody
	read   time.Time          // when the map was read, or that was tried, last; zero: never
	stale  bool               // the map may be wrong
	closed bool
}

func newCluster(a address.Address, o Options) *Cluster {
	return &Cluster{at: a, opts: o, nodes: make(map[string]*server), stale: true}
}

// GetContext lends a connection to the whole cluster. It holds none to a node until it is used.
func (c *Cluster) GetContext(ctx context.Context) (redis.Conn, error) {
	return &clusterConn{cluster: c, ctx: ctx}, nil
}

// Stats sums up the connections to all nodes.
func (c *Cluster) Stats() (all redis.PoolStats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.nodes {
		s := n.Stats()
		all.ActiveCount += s.ActiveCount
		all.IdleCount += s.IdleCount
		all.WaitCount += s.WaitCount
		all.WaitDuration += s.WaitDuration
	}
	return all
}

// Close closes the connections.
func (c *Cluster) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	var errs []error
	for _, n := range c.nodes {
		errs = append(errs, n.Close())
	}
	clear(c.nodes)
	return errors.Join(errs...)
}

// node is the pool of one node, made where there is none yet.
func (c *Cluster) node(host string) (*server, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, net.ErrClosed
	}
	n := c.nodes[host]
	if n == nil {
		n = newServer(c.opts, func(ctx context.Context) (redis.Conn, error) { return c.opts.connect(ctx, c.at, "tcp", host) })
		c.nodes[host] = n
	}
	return n, nil
}

// owner is who has a slot, by a map that is read again where it may be wrong.
func (c *Cluster) owner(ctx context.Context, slot int) (string, error) {
	c.mu.Lock()
	reload := c.stale && time.Since(c.read) >= mapEvery
	c.mu.Unlock()
	var failure error
	if reload {
		failure = c.readMap(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if slot == anySlot {
		for _, host := range c.owners {
			if host != "" {
				return host, nil
			}
		}
	} else if host := c.owners[slot]; host != "" {
		return host, nil
	}
	if failure != nil {
		return "", failure
	}
	return "", redis.Error(fmt.Sprintf("CLUSTERDOWN nobody serves slot %d", slot))
}

// suspect makes the map be read again before it is used next.
func (c *Cluster) suspect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
}

// moved notes what a node said of a slot. Where one has moved others may have.
func (c *Cluster) moved(slot int, host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slot >= 0 && slot < slots && c.owners[slot] != host {
		c.owners[slot] = host
		c.stale = true
	}
}

// readMap asks a node after the other who has which slot, until one answers.
func (c *Cluster) readMap(ctx context.Context) error {
	since := time.Now()
	c.loading.Lock()
	defer c.loading.Unlock()
	c.mu.Lock()
	done := c.read.After(since) // by whoever was before this one
	var hosts []string
	for host := range maps.Keys(c.nodes) { // in no order
		hosts = append(hosts, host)
	}
	c.mu.Unlock()
	if done {
		return nil
	}
	var failures []error
	for _, host := range append(hosts, c.at.Hosts...) {
		owners, err := c.ask(ctx, host)
		if err == nil {
			c.accept(owners)
			return nil
		}
		failures = append(failures, fmt.Errorf("node %s: %w", host, err))
		if ctx.Err() != nil {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read = time.Now()
	return errors.Join(failures...)
}

// ask reads the map of a node: CLUSTER SLOTS.
func (c *Cluster) ask(ctx context.Context, host string) (owners [slots]string, err error) {
	n, err := c.node(host)
	if err != nil {
		return owners, err
	}
	conn, err := n.GetContext(ctx)
	if err != nil {
		return owners, err
	}
	defer conn.Close() //nolint:errcheck // it goes back to the pool, which drops it after an error
	ranges, err := redis.Values(redis.DoWithTimeout(conn, connectTimeout, "CLUSTER", "SLOTS"))
	if err != nil {
		return owners, err
	}
	own, _, _ := net.SplitHostPort(host)
	for _, reply := range ranges {
		var first, last int
		var master []any
		fields, err := redis.Values(reply, nil)
		if err == nil {
			_, err = redis.Scan(fields, &first, &last, &master)
		}
		if err != nil || len(master) < 2 || first < 0 || last >= slots {
			return owners, fmt.Errorf("it answered CLUSTER SLOTS with %q: %w", reply, err)
		}
		name, _ := redis.String(master[0], nil)
		if name == "" || name == "?" { // it does not know under which name it is reached
			name = own
		}
		port, err := redis.Int(master[1], nil)
		if err != nil {
			return owners, err
		}
		for slot := first; slot <= last; slot++ {
			owners[slot] = net.JoinHostPort(name, strconv.Itoa(port))
		}
	}
	return owners, nil
}

// accept takes a map over, and parts with nodes that have no slot in it.
func (c *Cluster) accept(owners [slots]string) {
	used := make(map[string]bool)
	for _, host := range owners {
		used[host] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owners, c.read, c.stale = owners, time.Now(), false
	for host, n := range c.nodes {
		if !used[host] {
			delete(c.nodes, host)
			_ = n.Close() // what is in use is closed when it is given back
		}
	}
}
