package route_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/route"
	"github.com/feedwire/feedwire/store/storetest"
)

// hangTag is what the keys of these tests begin with: all of them are in one slot.
const hangTag = "{a}"

// A master that hangs takes connections, and whatever is written to them. Its machine may be as good as dead for minutes, and
// then go on as if nothing had been.
func TestSentinelHangOfTheMaster(t *testing.T) {
	t.Parallel()
	watched := storetest.NewWatched(t)
	watched.AwaitReplicas(2, 0)
	first := watched.Servers[0]
	outlive(t, pool(t, watched.URL()), first, func() bool { return watched.Master() != first })
}

func TestClusterHangOfAMaster(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t, true)
	home := storetest.Home(route.Slot(hangTag))
	replica := storetest.Commands(t, cluster.Replicas[home].Dial)
	only := pool(t, "redis+cluster://"+cluster.Masters[home].Addr()) // the one that hangs is all that the URL names
	outlive(t, only, cluster.Masters[home], func() bool {
		return string(replica.Do("ROLE").([]any)[0].([]byte)) == "master"
	})
}

// outlive has more callers than the pool has connections write while a master hangs, until it is replaced and they write
// to the other one. Then the old one wakes up, in the belief that it still is the master, and none of them writes to it.
func outlive(t *testing.T, p route.Pool, old *storetest.Server, replaced func() bool) {
	t.Helper()
	first := startCrowd(t, p, hangTag+"first")
	first.await("they write", func(n int) bool { return n > 100 })
	old.Stop()
	first.await("it is replaced", func(int) bool { return replaced() })
	first.await("they write to the other one", func(n int) bool { return n > first.seen+100 })
	w := first.end()
	// For a connection a second at most, and then for two servers, one after the other. The rest is the machine's.
	if most := time.Second + 2*patience + 2*time.Second; w.longest > most {
		t.Errorf("a call took %v, more than %v", w.longest, most)
	}

	second := startCrowd(t, p, hangTag+"second")
	second.await("they write to the other one", func(n int) bool { return n > 100 })
	old.Cont()
	looks, awakened := 0, second.seen
	second.await("they go on", func(n int) bool {
		role, written, err := believes(t, old, hangTag+"second")
		if role == "master" && written != "" {
			t.Errorf("the old master was written to: %s writes", written)
		}
		if err == nil {
			looks++
		}
		return n > awakened+1000 && looks > 10
	})
	after := second.end()
	if after.failed > 0 {
		t.Errorf("%d writes failed when the old master was awake", after.failed)
	}
	t.Logf("%d writes failed, none was taken for %v, a call took %v at most", w.failed, w.gap.Round(time.Millisecond), w.longest.Round(time.Millisecond))
}

func dial(t *testing.T, s *storetest.Server) net.Conn {
	t.Helper()
	c, err := s.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// believes returns the role that a server takes itself for, and what it has for a key then. Its connections end when a Sentinel
// demotes it.
func believes(t *testing.T, s *storetest.Server, key string) (role, value string, err error) {
	t.Helper()
	c := redis.NewConn(dial(t, s), 30*time.Second, 30*time.Second)
	defer c.Close()
	if err := errors.Join(c.Send("GET", key), c.Send("ROLE"), c.Flush()); err != nil {
		return "", "", err
	}
	value, _ = redis.String(c.Receive()) // a node of a cluster that knows better says so
	answer, err := redis.Values(c.Receive())
	if err != nil {
		return "", "", err
	}
	return string(answer[0].([]byte)), value, nil
}

// crowd are callers who all count one key up, half as many again as the pool has connections.
type crowd struct {
	t       *testing.T
	p       route.Pool
	key     string
	seen    int // the count when it was read last
	stop    chan struct{}
	writers sync.WaitGroup
	all     chan writer
}

func startCrowd(t *testing.T, p route.Pool, key string) *crowd {
	const callers = poolSize * 3 / 2
	c := &crowd{t: t, p: p, key: key, stop: make(chan struct{}), all: make(chan writer, callers)}
	for range callers {
		c.writers.Go(func() { c.all <- write(t, p, key, c.stop) })
	}
	t.Cleanup(func() { c.end() })
	return c
}

// await waits for a state, which may depend on how far they have counted.
func (c *crowd) await(what string, is func(count int) bool) {
	c.t.Helper()
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
		conn, err := c.p.GetContext(ctx)
		var count int
		if err == nil {
			count, err = redis.Int(conn.Do("GET", c.key))
			_ = conn.Close()
		}
		cancel()
		if err != nil {
			count = 0
		}
		if is(count) {
			c.seen = max(c.seen, count)
			return
		}
		if time.Since(start) > time.Minute {
			c.t.Fatalf("not within a minute: %s", what)
		}
	}
}

// end ends them, and sums up what they say.
func (c *crowd) end() (sum writer) {
	select {
	case <-c.stop:
		return sum
	default:
	}
	close(c.stop)
	c.writers.Wait()
	close(c.all)
	for w := range c.all {
		sum.acked, sum.failed = sum.acked+w.acked, sum.failed+w.failed
		sum.gap, sum.longest = max(sum.gap, w.gap), max(sum.longest, w.longest)
	}
	return sum
}
