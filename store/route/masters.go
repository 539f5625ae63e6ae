package route

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// Master is a node of a cluster that has slots. Connections to it are for commands that name no key.
type Master struct {
	Pool
	Host  string // host:port
	Slots string // as CLUSTER NODES lists them
}

// Masters returns the nodes that have slots, by host. It fails while a slot is moving.
func (c *Cluster) Masters(ctx context.Context) ([]Master, error) {
	c.suspect()
	if _, err := c.owner(ctx, anySlot); err != nil {
		return nil, err
	}
	c.mu.Lock()
	hosts := slices.Sorted(slices.Values(c.slots.owner[:]))
	c.mu.Unlock()
	var all []Master
	for _, host := range slices.Compact(hosts) {
		if host == "" {
			return nil, redis.Error("CLUSTERDOWN some slots have no master")
		}
		n, err := c.node(host)
		if err != nil {
			return nil, err
		}
		slots, err := querySlots(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", host, err)
		}
		all = append(all, Master{n, host, slots})
	}
	return all, nil
}

// querySlots reads the slots of a node: its own line of CLUSTER NODES has them after eight other fields.
func querySlots(ctx context.Context, n *server) (string, error) {
	conn, err := n.GetContext(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close() //nolint:errcheck // it goes back to the pool, which drops it after an error
	text, err := redis.String(conn.Do("CLUSTER", "NODES"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) <= 8 || !strings.HasPrefix(fields[2], "myself") {
			continue
		}
		slots := strings.Join(fields[8:], " ")
		if strings.Contains(slots, "[") {
			return "", errors.New("a slot is moving from one node to another: wait until it has moved")
		}
		return slots, nil
	}
	return "", errors.New("it no longer has slots")
}
