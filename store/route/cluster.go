package route

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/address"
)

// mapEvery limits how often the slot map is read again after a failure or a move.
const mapEvery = 100 * time.Millisecond

// Cluster is a pool of connections to a Redis Cluster, each of which sends every command to the master of its slot.
type Cluster struct {
	at      address.Address
	opts    Options
	loading sync.Mutex     // one goroutine reads the map, the others wait
	asking  sync.WaitGroup // requests to nodes under way, including those whose answers are not received

	mu     sync.Mutex         // guards what follows; held briefly
	nodes  map[string]*server // by host:port
	slots  slotMap
	epoch  uint64    // of any slot
	read   time.Time // of the last try to read the map; zero: never
	stale  bool      // the map may be wrong
	closed bool
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

// FailoverEpoch counts how often a slot was found to have another owner.
func (c *Cluster) FailoverEpoch() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

// Close closes the connections.
func (c *Cluster) Close() error {
	defer c.asking.Wait()
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

// node returns the pool of a node.
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

// lend lends a connection to a node.
func (c *Cluster) lend(ctx context.Context, host string) (redis.Conn, error) {
	n, err := c.node(host)
	if err != nil {
		return nil, err
	}
	return n.GetContext(ctx)
}

// owner returns the master of a slot. It reloads the slot map first if the map may be stale.
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
		for _, host := range c.slots.owner {
			if host != "" {
				return host, nil
			}
		}
	} else if host := c.slots.owner[slot]; host != "" {
		return host, nil
	}
	if failure != nil {
		return "", failure
	}
	return "", redis.Error(fmt.Sprintf("CLUSTERDOWN no node serves slot %d", slot))
}

// suspect marks the map as possibly wrong: owner reads it again.
func (c *Cluster) suspect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
}

// moved updates the map after MOVED. Other slots may have moved, too.
func (c *Cluster) moved(slot int, host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slot >= 0 && slot < slots && c.slots.owner[slot] != host {
		c.epoch++
		c.slots.owner[slot] = host
		c.stale = true
	}
}
