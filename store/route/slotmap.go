package route

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"
)

// slotMap maps slots to nodes of a cluster.
type slotMap struct {
	owner [slots]string // host:port of the master; empty: none
	nodes []string      // all masters and replicas
}

// slotAnswer is the map of a node, or why it could not be read.
type slotAnswer struct {
	host  string
	slots *slotMap
	err   error
}

// readMap reads the map from any node. It asks the next node before a slow one has replied, because a node that hangs may be the
// reason for reading the map.
func (c *Cluster) readMap(ctx context.Context) error {
	since := time.Now()
	c.loading.Lock()
	defer c.loading.Unlock()
	c.mu.Lock()
	done, known := c.read.After(since), slices.Clone(c.slots.nodes) // by another goroutine
	c.mu.Unlock()
	if done {
		return nil
	}
	rand.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] }) //nolint:gosec // no secret
	hosts := slices.Concat(known, c.at.Hosts)
	answers := make(chan slotAnswer, len(hosts)) // late answers are not received
	var failures []error
	next := time.NewTimer(0)
	defer next.Stop()
	for asked := 0; len(failures) < len(hosts) && ctx.Err() == nil; {
		select {
		case <-next.C:
			if asked < len(hosts) {
				host := hosts[asked]
				c.asking.Go(func() {
					m, err := c.readMapOf(ctx, host)
					answers <- slotAnswer{host, m, err}
				})
				asked++
				next.Reset(mapEvery)
			}
		case a := <-answers:
			if a.err == nil {
				c.accept(a.slots)
				return nil
			}
			failures = append(failures, fmt.Errorf("node %s: %w", a.host, a.err))
			next.Reset(0)
		case <-ctx.Done():
			failures = append(failures, ctx.Err())
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read = time.Now()
	return errors.Join(failures...)
}

// readMapOf reads the map of a node: CLUSTER SLOTS.
func (c *Cluster) readMapOf(ctx context.Context, host string) (*slotMap, error) {
	conn, err := c.lend(ctx, host)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // it goes back to the pool, which drops it after an error
	ranges, err := redis.Values(redis.DoWithTimeout(conn, connectTimeout, "CLUSTER", "SLOTS"))
	if err != nil {
		return nil, err
	}
	own, _, _ := net.SplitHostPort(host)
	m := &slotMap{}
	for _, reply := range ranges {
		var first, last int
		fields, err := redis.Values(reply, nil)
		if err == nil {
			fields, err = redis.Scan(fields, &first, &last)
		}
		if err != nil || len(fields) == 0 || first < 0 || last >= slots {
			return nil, fmt.Errorf("it answered CLUSTER SLOTS with %q: %w", reply, err)
		}
		for i, field := range fields { // the master, then its replicas
			at, err := nodeAddress(field, own)
			if err != nil {
				return nil, err
			}
			for slot := first; i == 0 && slot <= last; slot++ {
				m.owner[slot] = at
			}
			if !slices.Contains(m.nodes, at) {
				m.nodes = append(m.nodes, at)
			}
		}
	}
	return m, nil
}

// nodeAddress reads host and port of a node in CLUSTER SLOTS. A node without a name is the node that was asked.
func nodeAddress(field any, asked string) (string, error) {
	node, err := redis.Values(field, nil)
	if err != nil || len(node) < 2 {
		return "", fmt.Errorf("it answered CLUSTER SLOTS with a node %q: %w", field, err)
	}
	name, _ := redis.String(node[0], nil)
	if name == "" || name == "?" {
		name = asked
	}
	port, err := redis.Int(node[1], nil)
	return net.JoinHostPort(name, strconv.Itoa(port)), err
}

// accept replaces the map, and closes the pools of nodes that have no slot in it.
func (c *Cluster) accept(m *slotMap) {
	used := make(map[string]bool)
	for _, host := range m.owner {
		used[host] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.slots.nodes != nil && c.slots.owner != m.owner {
		c.epoch++
	}
	c.slots, c.read, c.stale = *m, time.Now(), false
	for host, n := range c.nodes {
		if !used[host] {
			delete(c.nodes, host)
			_ = n.Close() // connections in use are closed when they are returned
		}
	}
}
