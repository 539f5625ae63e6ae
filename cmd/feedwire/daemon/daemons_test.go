//go:build !race

package daemon

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// answersAfter is how long the servers take that daemons share out. The longer, the less does the machine's own speed tell.
var answersAfter = flag.Duration("latency", 50*time.Millisecond, "how long each poll and each delivery takes that daemons share")

// fleet is daemons on one Redis.
type fleet struct {
	t       *testing.T
	redis   *storetest.Server
	raw     *storetest.Redigo
	daemons []*daemon
}

// join adds daemons until there are so many.
func (f *fleet) join(n int) {
	f.t.Helper()
	for len(f.daemons) < n {
		f.daemons = append(f.daemons, startAt(f.t, "unix://"+f.redis.Addr(), "", `
fetch: {allow_networks: [127.0.0.0/8], host_delay: 0s, min_interval: 0s, interval: 2h, workers: 4, push: never}
hub: {workers: 4, per_host: 4}
`, nil))
	}
}

// workload is something that daemons share.
type workload struct {
	name  string
	round func() (perSecond float64)
	done  func(d *daemon) float64 // how much of it a daemon has done
}

// Daemons on one Redis share polls, deliveries and fetches: each is done by one of them, once, and all have a part in it. The
// test prints how much more is done by more daemons in the same time. Most of polling and delivering is waiting for others.
func TestDaemonsShareTheWork(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	f := &fleet{t: t, redis: redis, raw: storetest.Commands(t, redis.Dial)}
	f.join(1)
	all := []workload{f.polls(), f.deliveries(), f.fetches()}
	ofOne := make([]float64, len(all))
	for _, n := range []int{1, 2, 4} {
		f.join(n)
		for i, w := range all {
			before := make([]float64, n)
			for d := range before {
				before[d] = w.done(f.daemons[d])
			}
			rate := w.round()
			shares, sum := make([]float64, n), 0.0
			for d := range shares {
				shares[d] = w.done(f.daemons[d]) - before[d]
				sum += shares[d]
			}
			if n == 1 {
				ofOne[i] = rate
			} else if slices.Max(shares) >= sum {
				t.Errorf("%d daemons, %s: one of them did everything: %v", n, w.name, shares)
			}
			t.Logf("%d daemons: %.0f %s, %.2f of one daemon; of each: %v", n, rate, w.name, rate/ofOne[i], shares)
		}
	}
}

// polls are of sources whose servers take their time.
func (f *fleet) polls() workload {
	const sources = 80
	t := f.t
	web := newSlowOrigin(t, *answersAfter)
	settled := func() bool {
		soon := strconv.FormatInt(time.Now().Add(10*time.Minute).Unix(), 10)
		return f.raw.Int("ZCOUNT", "sched:due", "-inf", soon) == 0 && f.raw.Int("HLEN", "sched:lease") == 0
	}
	var opml strings.Builder
	opml.WriteString(`<opml version="2.0"><body>`)
	for i := range sources {
		fmt.Fprintf(&opml, `<outline type="rss" xmlUrl="%s/%d"/>`, web.URL, i)
	}
	opml.WriteString("</body></opml>")
	if err := f.daemons[0].Call(t.Context(), http.MethodPost, "/api/v1/opml?feeds=", client.Raw([]byte(opml.String())), nil); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "added", func() bool { return f.raw.Int("HLEN", "feeds") == sources })
	pollAll := func() time.Duration {
		begun := time.Now()
		f.daemons[0].do(http.MethodPost, "/api/v1/sources/poll", nil, nil)
		wiretest.Eventually(t, "settled", settled)
		return time.Since(begun)
	}
	pollAll()
	web.pass()
	return workload{"polls a second", func() float64 {
		took := pollAll()
		asked := web.pass()
		if len(asked) != sources {
			t.Errorf("%d of %d sources were polled", len(asked), sources)
		}
		for path, times := range asked {
			if times != 1 {
				t.Errorf("%s was polled %d times", path, times)
			}
		}
		return sources / took.Seconds()
	}, func(d *daemon) float64 { return d.metric("feedwire_polls_total", "", "") }}
}

// slowOrigin serves feeds, each after a while, and counts how often each was asked for.
type slowOrigin struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
}

func newSlowOrigin(t *testing.T, latency time.Duration) *slowOrigin {
	o := &slowOrigin{asked: make(map[string]int)}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(latency)
		o.mu.Lock()
		o.asked[r.URL.Path]++
		o.mu.Unlock()
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprintf(w, `<rss version="2.0"><channel><title>%[1]s</title><link>http://x.example/</link><description>d</description>
<item><title>News of %[1]s</title><guid isPermaLink="false">%[1]s</guid></item></channel></rss>`, r.URL.Path)
	}))
	t.Cleanup(o.Close)
	return o
}

// pass returns how often each feed was asked for since the last time.
func (o *slowOrigin) pass() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	asked := o.asked
	o.asked = make(map[string]int)
	return asked
}
