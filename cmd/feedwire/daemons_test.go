package main

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

	"github.com/feedwire/feedwire/store/storetest"
)

// answersAfter is how long the servers take that daemons share out. The longer, the less does the machine's own speed tell.
var answersAfter = flag.Duration("latency", 50*time.Millisecond, "how long each poll takes that daemons share")

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

// Daemons on one Redis share the polls: each source is polled by one of them, once. Where servers are slow to answer, which
// is most of what polling is, more daemons poll more in the same time; the test prints how much.
func TestDaemonsShareTheWork(t *testing.T) {
	t.Parallel()
	const sources = 80
	redis := storetest.RedisAOF(t)
	raw := storetest.Commands(t, redis.Dial)
	web := newSlowOrigin(t, *answersAfter)
	settled := func() bool {
		soon := strconv.FormatInt(time.Now().Add(10*time.Minute).Unix(), 10)
		return raw.Int("ZCOUNT", "sched:due", "-inf", soon) == 0 && raw.Int("HLEN", "sched:lease") == 0
	}
	var daemons []*daemon
	join := func() {
		daemons = append(daemons, startAt(t, "unix://"+redis.Addr(), "", `
fetch: {allow_networks: [127.0.0.0/8], host_delay: 0s, min_interval: 0s, interval: 2h, workers: 4, push: never}
`, nil))
	}
	join()
	var opml strings.Builder
	opml.WriteString(`<opml version="2.0"><body>`)
	for i := range sources {
		fmt.Fprintf(&opml, `<outline type="rss" xmlUrl="%s/%d"/>`, web.URL, i)
	}
	opml.WriteString("</body></opml>")
	if err := daemons[0].call(t.Context(), http.MethodPost, "/api/v1/opml?feeds=", opmlBody([]byte(opml.String())), nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "added", func() bool { return raw.Int("HLEN", "feeds") == sources })
	daemons[0].do(http.MethodPost, "/api/v1/sources/poll", nil, nil)
	within(t, time.Minute, "settled", settled)
	web.pass()

	polls := func() (all []float64) {
		for _, d := range daemons {
			all = append(all, d.metric("feedwire_polls_total", "", ""))
		}
		return all
	}
	var one time.Duration
	for _, n := range []int{1, 2, 4} {
		for len(daemons) < n {
			join()
		}
		before, begun := polls(), time.Now()
		daemons[0].do(http.MethodPost, "/api/v1/sources/poll", nil, nil)
		within(t, time.Minute, "settled", settled)
		took := time.Since(begun)
		if n == 1 {
			one = took
		}
		asked := web.pass()
		if len(asked) != sources {
			t.Errorf("%d daemons: %d of %d sources were polled", n, len(asked), sources)
		}
		for path, times := range asked {
			if times != 1 {
				t.Errorf("%d daemons: %s was polled %d times", n, path, times)
			}
		}
		shares := polls()
		for i := range shares {
			shares[i] -= before[i]
		}
		if n > 1 && slices.Max(shares) >= sources {
			t.Errorf("%d daemons: one of them did everything: %v", n, shares)
		}
		t.Logf("%d daemons: %.0f polls a second, %.2f of one daemon; polls of each: %v",
			n, sources/took.Seconds(), one.Seconds()/took.Seconds(), shares)
	}
}
