package storetest

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
)

// masters is how many masters a cluster has.
const masters = 3

// Cluster is a Redis Cluster of one test. Its methods belong into the goroutine of the test.
type Cluster struct {
	tb       testing.TB
	Masters  [masters]*Server // each with a third of the slots
	Replicas []*Server        // of the masters, in their order; or none
	ids      map[*Server]string
	guard    *Guard
}

// NewCluster starts a cluster that keeps nothing and returns when it works. It ends with the test. A master that is
// silent for a second is replaced by its replica.
func NewCluster(tb testing.TB, replicas bool) *Cluster {
	tb.Helper()
	return NewGuardedCluster(tb, replicas, nil)
}

// NewGuardedCluster returns a cluster like NewCluster, with guard in front of each node.
func NewGuardedCluster(tb testing.TB, replicas bool, guard *Guard) *Cluster {
	tb.Helper()
	c := &Cluster{tb: tb, ids: make(map[*Server]string), guard: guard}
	nodes, nodeTimeout := masters, 15000
	if replicas {
		nodes, nodeTimeout = 2*masters, 1000
	}
	for i := range nodes {
		s := newServer(tb, "tcp", append(guard.arguments(), "--save", "", "--appendonly", "no", "--cluster-enabled", "yes",
			"--cluster-node-timeout", strconv.Itoa(nodeTimeout), "--repl-diskless-sync-delay", "0")...)
		s.guard = guard
		s.start()
		raw := Commands(tb, s.Dial)
		raw.Do("CLUSTER", "SET-CONFIG-EPOCH", i+1)
		c.ids[s] = string(raw.Do("CLUSTER", "MYID").([]byte))
		if i >= masters {
			c.Replicas = append(c.Replicas, s)
			c.join(raw, c.ids[s])
			continue
		}
		c.Masters[i] = s
		slots := []any{"ADDSLOTS"}
		for slot := range 16384 {
			if Home(slot) == i {
				slots = append(slots, slot)
			}
		}
		raw.Do("CLUSTER", slots...)
		if i > 0 {
			c.join(raw, c.ids[s])
		}
	}
	for i, s := range c.Replicas {
		raw, master := Commands(tb, s.Dial), c.ids[c.Masters[i]]
		await(tb, "a replica knows its master", func() bool {
			return strings.Contains(string(raw.Do("CLUSTER", "NODES").([]byte)), master)
		})
		raw.Do("CLUSTER", "REPLICATE", master)
	}
	for s := range c.ids {
		c.AwaitWell(s, nodes)
	}
	return c
}

// Home returns the index in Masters of the initial master of a slot.
func Home(slot int) int { return slot * masters / 16384 }

// join makes a node known to the first one. A greeting that takes too long is forgotten, so it is repeated.
func (c *Cluster) join(raw *Redigo, id string) {
	c.tb.Helper()
	first := Commands(c.tb, c.Masters[0].Dial)
	host, port, _ := strings.Cut(c.Masters[0].Addr(), ":")
	var greeted time.Time
	await(c.tb, "a node joins the cluster", func() bool {
		if time.Since(greeted) > 2*time.Second {
			raw.Do("CLUSTER", "MEET", host, port)
			greeted = time.Now()
		}
		for line := range strings.Lines(string(first.Do("CLUSTER", "NODES").([]byte))) {
			if strings.HasPrefix(line, id) {
				return !strings.Contains(line, "handshake")
			}
		}
		return false
	})
}

// AwaitWell returns when a node knows so many others that are well, itself included, serves its slots, and is linked to its master
// if it has one.
func (c *Cluster) AwaitWell(s *Server, nodes int) {
	c.tb.Helper()
	raw := Commands(c.tb, s.Dial)
	await(c.tb, "the cluster is well", func() bool {
		info := string(raw.Do("CLUSTER", "INFO").([]byte))
		connected := strings.Count(string(raw.Do("CLUSTER", "NODES").([]byte)), " connected")
		role := raw.Do("ROLE").([]any)
		linked := string(role[0].([]byte)) == "master" || string(role[3].([]byte)) == "connected"
		return strings.Contains(info, "cluster_state:ok") && connected >= nodes && linked
	})
}

// URL returns the address of the cluster.
func (c *Cluster) URL() string {
	hosts := make([]string, masters)
	for i, s := range c.Masters {
		hosts[i] = s.Addr()
	}
	return c.guard.address("+cluster", strings.Join(hosts, ","), "", "")
}

// InShards are raw commands for an installation in parts, as the function InShards gives them.
func (c *Cluster) InShards(tb testing.TB, prefix, home string) *Redigo {
	tb.Helper()
	var dials []core.DialFunc
	for _, s := range c.Masters {
		dials = append(dials, s.Dial)
	}
	return InShards(tb, prefix, home, dials...)
}

// Move moves a slot with its keys from one master to another, as redis-cli --cluster reshard does, a few keys at a time.
// Between is called after each step; nil for nothing.
func (c *Cluster) Move(slot int, from, to *Server, between func()) {
	c.tb.Helper()
	source, target := Commands(c.tb, from.Dial), Commands(c.tb, to.Dial)
	target.Do("CLUSTER", "SETSLOT", slot, "IMPORTING", c.ids[from])
	source.Do("CLUSTER", "SETSLOT", slot, "MIGRATING", c.ids[to])
	host, port, _ := strings.Cut(to.Addr(), ":")
	for {
		keys, err := redis.Strings(source.Do("CLUSTER", "GETKEYSINSLOT", slot, 10), nil)
		if err != nil {
			c.tb.Fatal(err)
		}
		if between != nil {
			between()
		}
		if len(keys) == 0 {
			break
		}
		args := []any{host, port, "", 0, 5000, "KEYS"}
		for _, key := range keys {
			args = append(args, key)
		}
		source.Do("MIGRATE", args...)
	}
	for _, raw := range []*Redigo{target, source} {
		raw.Do("CLUSTER", "SETSLOT", slot, "NODE", c.ids[to])
	}
}

// await waits for a state of a server, for up to 30 seconds.
func await(tb testing.TB, what string, reached func() bool) {
	tb.Helper()
	Await(tb, 30*time.Second, what, reached)
}
