package route_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store/address"
	"github.com/feedwire/feedwire/store/route"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The bounds of the pools of these tests.
const (
	poolSize = 8
	patience = 2 * time.Second // with one command
)

func pool(t *testing.T, url string) route.Pool {
	t.Helper()
	at, err := address.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	p, err := route.New(at, route.Options{Size: poolSize, Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func lend(t *testing.T, p route.Pool) redis.Conn {
	t.Helper()
	c, err := p.GetContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A node that leaves its cluster is parted with while callers wait for connections to it, and may give up at that moment.
func TestCloseWhileOthersWait(t *testing.T) {
	t.Parallel()
	url := storetest.RedisTCP(t).URL()
	for range 100 {
		p := pool(t, url)
		for range poolSize {
			lend(t, p)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		for range 4 {
			waiting.Go(func() {
				if c, err := p.GetContext(ctx); err == nil {
					t.Error("a closed pool lent a connection")
					_ = c.Close()
				}
			})
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		waiting.Wait()
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t, false)
	t.Run("leads each command to its node", func(t *testing.T) { leadsEachCommand(t, cluster) })
	t.Run("follows a slot that moves", func(t *testing.T) { followsASlot(t, cluster) })
	t.Run("tells its masters", func(t *testing.T) { tellsItsMasters(t, cluster) })
	t.Run("knows the slots as Redis does", func(t *testing.T) { knowsTheSlots(t, cluster) })
}

func leadsEachCommand(t *testing.T, cluster *storetest.Cluster) {
	t.Helper()
	c := lend(t, pool(t, cluster.URL()))
	const keys = 300
	for i := range keys {
		if err := c.Send("SET", fmt.Sprint("key", i), i); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	for i := range keys {
		if reply, err := redis.String(c.Receive()); reply != "OK" || err != nil {
			t.Fatalf("SET %d: %q, %v", i, reply, err)
		}
	}
	for i, s := range cluster.Masters {
		if n := storetest.Commands(t, s.Dial).Int("DBSIZE"); n < keys/6 {
			t.Errorf("node %d has %d of %d keys", i, n, keys)
		}
	}
	script := redis.NewScript(1, "return redis.call('INCRBY', KEYS[1], ARGV[1])")
	for i := range keys {
		n, err := redis.Int(script.Do(c, fmt.Sprint("key", i), 1000))
		if n != 1000+i || err != nil {
			t.Fatalf("script for key %d: %d, %v", i, n, err)
		}
	}
}

// A slot that moves leaves its commands behind it: nothing fails, and nothing is done twice.
func followsASlot(t *testing.T, cluster *storetest.Cluster) {
	t.Helper()
	p := pool(t, cluster.URL())
	c := lend(t, p)
	const tag = "{moving}"
	slot := route.Slot(tag)
	from := cluster.Masters[storetest.Home(slot)]
	to := cluster.Masters[(storetest.Home(slot)+1)%3]
	const counters = 40
	rounds := 0
	count := func() {
		rounds++
		for i := range counters {
			if err := c.Send("INCR", fmt.Sprint(tag, i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Flush(); err != nil {
			t.Fatal(err)
		}
		for i := range counters {
			if n, err := redis.Int(c.Receive()); n != rounds || err != nil {
				t.Fatalf("round %d, counter %d: %d, %v", rounds, i, n, err)
			}
		}
		if n, err := redis.Int(c.Do("STRLEN", fmt.Sprint(tag, rounds%counters))); n == 0 || err != nil {
			t.Fatalf("a counter is %d letters long, %v", n, err)
		}
	}
	count()
	cluster.Move(slot, from, to, count)
	count()
	if n := storetest.Commands(t, to.Dial).Int("CLUSTER", "COUNTKEYSINSLOT", slot); n != counters {
		t.Errorf("the new node has %d keys of the slot, want %d", n, counters)
	}
}

// While a slot moves, it is unknown which keys a master has.
func tellsItsMasters(t *testing.T, cluster *storetest.Cluster) {
	t.Helper()
	c := pool(t, cluster.URL()).(*route.Cluster)
	before, err := c.Masters(t.Context())
	if err != nil || len(before) != len(cluster.Masters) {
		t.Fatalf("the masters are %v, %v", before, err)
	}
	for _, m := range before {
		conn, err := m.GetContext(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if own, err := redis.String(conn.Do("CLUSTER", "NODES")); err != nil || !strings.Contains(own, "myself") || !strings.Contains(own, m.Slots) {
			t.Errorf("%s has the slots %s, and says %s, %v", m.Host, m.Slots, own, err)
		}
		_ = conn.Close()
	}
	slot := route.Slot("{masters}")
	home := storetest.Home(slot)
	asked := 0
	cluster.Move(slot, cluster.Masters[home], cluster.Masters[(home+1)%3], func() {
		asked++
		if all, err := c.Masters(t.Context()); err == nil || !strings.Contains(err.Error(), "is moving") {
			t.Errorf("while a slot moves the masters are %v, %v", all, err)
		}
	})
	after, err := c.Masters(t.Context())
	if err != nil || asked == 0 || slices.Equal(before, after) {
		t.Errorf("after a slot has moved the masters are %v as before, %v", after, err)
	}
}

func knowsTheSlots(t *testing.T, cluster *storetest.Cluster) {
	t.Helper()
	raw := storetest.Commands(t, cluster.Masters[0].Dial)
	for _, key := range []string{"", "123456789", "{feedwire}:Entry:5", "a{b}c{d}", "{}x", "x{}{y}", "{open", "http://é.example/{id}:sort"} {
		if got, want := route.Slot(key), raw.Int("CLUSTER", "KEYSLOT", key); got != want {
			t.Errorf("%q is in slot %d, want %d", key, got, want)
		}
	}
}
