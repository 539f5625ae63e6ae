package daemon

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// Redis is away for five seconds while the daemon polls and serves. Nothing crashes, and nothing is lost or doubled.
func TestOutageOfRedisLosesNothing(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "")
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(2)...)
	src := d.add(web.URL+"/feed.xml", map[string]any{"publish": "auto", "interval": "1s"})
	wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 2 })
	if status, guids, _ := d.fetch("production", wiretest.Facebook, nil); status != http.StatusOK || len(guids) != 2 {
		t.Fatalf("before: %d %v", status, guids)
	}
	wiretest.Eventually(t, "counted", func() bool { return d.metric("feedwire_impressions_total", "outcome", "counted") == 2 })

	redis.Kill()
	errorsBefore := d.metric("feedwire_redis_commands_total", "result", "refused")
	web.Set("/feed.xml", wiretest.Posts(3)...) // news that comes while nothing can be stored
	end := time.Now().Add(5 * time.Second)
	for n := 0; time.Now().Before(end); n++ {
		if status := d.status("/healthz"); status != http.StatusOK {
			t.Errorf("healthz gave %d", status)
		}
		if status := d.status("/readyz"); status != http.StatusServiceUnavailable {
			t.Errorf("readyz gave %d", status)
		}
		if n == 3 { // one impression, of the copy in memory; it waits
			status, guids, header := d.fetchOnce("production", wiretest.Facebook, nil)
			if status != http.StatusOK || len(guids) != 2 || header.Get("X-Feedwire-Stale") != "1" {
				t.Errorf("the feed during the outage: %d %v %v", status, guids, header)
			}
		}
		if err := d.Call(t.Context(), http.MethodPost, "/api/v1/sources/"+src.ID+"/poll", nil, nil); err == nil {
			t.Error("a command succeeded without a store")
		}
		time.Sleep(500 * time.Millisecond)
	}
	// Five loops with a back-off of at most two seconds, the requests of this test and their retries.
	if calls := d.metric("feedwire_redis_commands_total", "result", "refused") - errorsBefore; calls > 200 {
		t.Errorf("%v calls failed in five seconds: a loop retries without a pause", calls)
	}

	redis.Restart()
	back := time.Now()
	wiretest.Eventually(t, "ready", func() bool { return d.status("/readyz") == http.StatusOK })
	wiretest.Eventually(t, "polling", func() bool { return len(d.articles("feed=production&state=published")) == 3 })
	if took := time.Since(back); took > wiretest.Recovery {
		t.Errorf("it took %v to recover", took)
	}
	wiretest.Eventually(t, "replayed", func() bool { return d.metric("feedwire_impressions_total", "outcome", "counted") == 4 })
	wiretest.Eventually(t, "fresh", func() bool {
		_, _, header := d.fetchOnce("production", "curl/8", nil)
		return header.Get("X-Feedwire-Stale") == ""
	})
	for range 2 {
		before := d.metric("feedwire_impressions_total", "outcome", "counted")
		d.fetch("production", wiretest.Facebook, nil)
		wiretest.Eventually(t, "counted", func() bool { return d.metric("feedwire_impressions_total", "outcome", "counted") == before+3 })
	}
	if n := len(d.articles("feed=production&state=imported")); n != 2 {
		t.Errorf("%d articles are imported", n)
	}
	kinds := make(map[feed.SignalKind]int)
	for _, s := range d.signals() {
		kinds[s.Kind]++
	}
	if kinds[feed.FeedCreated] != 1 || kinds[feed.PostCreated] != 3 || kinds[feed.PostModified] != 0 {
		t.Errorf("signals are %v", kinds)
	}
	storetest.Check(t, redis.Dial, []string{"production", "development"}, feed.ImportAfter)
}

func TestSleepEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if retry.Await(ctx, nil, time.Hour) {
		t.Error("sleep did not end with its context")
	}
}
