package route_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/route"
	"github.com/feedwire/feedwire/store/storetest"
)

// writer counts one key up until stop is closed, and says what was acknowledged, how many calls failed, how long none
// succeeded, and how long a call took at most.
type writer struct {
	acked, failed int
	gap, longest  time.Duration
}

func write(t *testing.T, p route.Pool, key string, stop <-chan struct{}) (w writer) {
	last := time.Now()
	for {
		select {
		case <-stop:
			return w
		default:
		}
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		c, err := p.GetContext(ctx)
		if err == nil {
			_, err = c.Do("INCR", key)
			_ = c.Close()
		}
		cancel()
		w.longest = max(w.longest, time.Since(begun))
		if err != nil {
			w.failed++
			time.Sleep(5 * time.Millisecond)
			continue
		}
		w.acked++
		w.gap = max(w.gap, time.Since(last))
		last = time.Now()
	}
}

// failOver writes, lets something happen to a server, and goes on until the other one has taken writes for a while.
func failOver(t *testing.T, p route.Pool, key string, happen func(), reached func() bool) (w writer, kept int) {
	stop, done := make(chan struct{}), make(chan writer)
	go func() { done <- write(t, p, key, stop) }()
	defer func() {
		if t.Failed() {
			close(stop)
			<-done
		}
	}()
	happen()
	for start := time.Now(); !reached(); time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > 30*time.Second {
			t.Error("no replica took over in 30 s")
			return w, 0
		}
	}
	time.Sleep(500 * time.Millisecond) // of writes to the new master
	close(stop)
	w = <-done
	kept, err := redis.Int(lend(t, p).Do("GET", key))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d writes acknowledged, %d kept, %d failed; %v without a write", w.acked, kept, w.failed, w.gap.Round(time.Millisecond))
	return w, kept
}

func TestSentinelKillOfTheMaster(t *testing.T) {
	t.Parallel()
	watched := storetest.NewWatched(t)
	watched.AwaitReplicas(2, 0)
	p := pool(t, watched.URL())
	first := watched.Servers[0]
	w, kept := failOver(t, p, "n", first.Kill, func() bool {
		return watched.Master() != first && answers(p)
	})
	if kept > w.acked+w.failed {
		t.Errorf("%d writes were counted, and %d were tried", kept, w.acked+w.failed)
	}
	if w.gap > 20*time.Second {
		t.Errorf("no write was taken for %v", w.gap)
	}
}

func TestSentinelPlannedSwitch(t *testing.T) {
	t.Parallel()
	watched := storetest.NewWatched(t)
	watched.AwaitReplicas(2, 0)
	p := pool(t, watched.URL())
	first := watched.Servers[0]
	raw := storetest.Commands(t, watched.Sentinels[0].Dial)
	_, _ = failOver(t, p, "n", func() { raw.Do("SENTINEL", "FAILOVER", "feedwire") }, func() bool {
		return watched.Master() != first && answers(p)
	})
	if p.FailoverEpoch() == 0 {
		t.Error("the pool did not see that another server took over")
	}
	c := lend(t, p)
	role, err := redis.Values(c.Do("ROLE"))
	if err != nil || string(role[0].([]byte)) != "master" {
		t.Errorf("after the switch the pool leads to a %s, %v", role[0], err)
	}
	conf, err := redis.Strings(c.Do("CONFIG", "GET", "port"))
	if err != nil || conf[1] == strings.Split(first.Addr(), ":")[1] {
		t.Errorf("after the switch the pool leads to the old master at port %s, %v", conf[1], err)
	}
}

func TestClusterKillOfAMaster(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t, true)
	p := pool(t, cluster.URL())
	const key = "{a}n"
	home := storetest.Home(route.Slot(key))
	w, kept := failOver(t, p, key, cluster.Masters[home].Kill, func() bool { return answers(p, key) })
	if kept > w.acked+w.failed {
		t.Errorf("%d writes were counted, and %d were tried", kept, w.acked+w.failed)
	}
	if p.FailoverEpoch() == 0 {
		t.Error("the pool did not see that another node took over")
	}
	if conf, err := redis.Strings(storetest.Commands(t, cluster.Replicas[home].Dial).Do("ROLE").([]any)[:1], nil); err != nil || conf[0] != "master" {
		t.Errorf("the replica is a %v, %v", conf, err)
	}
}

// answers reports whether a write succeeds.
func answers(p route.Pool, key ...string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := p.GetContext(ctx)
	if err != nil {
		return false
	}
	defer c.Close()
	_, err = c.Do("SET", append(key, "probe")[0]+"{a}", 1)
	return err == nil
}
