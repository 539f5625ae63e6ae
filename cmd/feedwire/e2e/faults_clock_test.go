//go:build faults

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// counting is an origin of many sources that counts how often each is asked for.
type counting struct {
	*httptest.Server
	mu    sync.Mutex
	polls map[string]int // by path
}

func newCounting(t *testing.T) *counting {
	c := &counting{polls: make(map[string]int)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.polls[r.URL.Path]++
	c.mu.Unlock()
	_, _ = w.Write((&wiretest.Origin{}).Render(wiretest.Posts(2)))
}

// most and least are how often the sources were asked for.
func (c *counting) counts() (sources, least, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	least = 1 << 30
	for _, n := range c.polls {
		least, most = min(least, n), max(most, n)
	}
	return len(c.polls), least, most
}

func (c *counting) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path := range c.polls {
		c.polls[path] = 0
	}
}

// jump is what the clock of a machine may do.
type jump struct {
	fault
	to func(now time.Time) time.Time
}

func jumps() []jump {
	const promise = "Each source is polled once or twice in the following interval"
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		berlin = time.UTC // no time zones are installed: these two show less
	}
	at := func(t time.Time) func(time.Time) time.Time { return func(time.Time) time.Time { return t } }
	return []jump{
		{fault{name: "The clock jumps an hour forward", promise: promise}, func(now time.Time) time.Time { return now.Add(time.Hour) }},
		{fault{name: "The clock jumps an hour back", promise: promise}, func(now time.Time) time.Time { return now.Add(-time.Hour) }},
		{fault{name: "The clock jumps a day forward", promise: promise}, func(now time.Time) time.Time { return now.AddDate(0, 0, 1) }},
		{fault{name: "The clock jumps a day back", promise: promise}, func(now time.Time) time.Time { return now.AddDate(0, 0, -1) }},
		{fault{name: "Daylight saving time begins", promise: promise}, at(time.Date(2027, 3, 28, 1, 59, 58, 0, berlin))},
		{fault{name: "Daylight saving time ends", promise: promise}, at(time.Date(2027, 10, 31, 2, 59, 58, 0, berlin))},
	}
}

// The clock of the machine jumps under a daemon that polls. In the interval after, each source is polled once or twice.
func (j *jump) test(t *testing.T, r *report) {
	const interval, sources = 3 * time.Second, 20
	var ahead atomic.Int64
	zone := j.to(time.Now()).Location()
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())).In(zone) }
	s := storetest.New(t, store.Options{Dial: storetest.Redis(t), Now: now})
	web := newCounting(t)
	for n := range sources {
		src := feed.Source{URL: fmt.Sprintf("%s/%d.xml", web.URL, n), Interval: interval}
		if _, _, err := s.Sources.AddSource(t.Context(), src); err != nil {
			t.Fatal(err)
		}
	}
	in := ingest.New(struct {
		*store.EntryStore
		*store.SourceStore
	}{s.Entries, s.Sources}, ingest.Options{Now: now, Fetch: fetch.Options{AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = in.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	wiretest.Eventually(t, "polled", func() bool { n, least, _ := web.counts(); return n == sources && least > 0 })
	time.Sleep(interval / 4)
	web.forget()
	ahead.Add(int64(j.to(now()).Sub(now())))
	time.Sleep(interval + interval/10 + 1500*time.Millisecond) // a tenth is added by chance, and a jump is seen after a second
	_, least, most := web.counts()
	if least < 1 || most > 2 {
		t.Errorf("in the interval after, sources were polled %d to %d times", least, most)
	}
	r.add(&j.fault, fmt.Sprintf("%d sources were polled %d to %d times each in it", sources, least, most))
}

// storm is a daemon that is restarted again and again.
var storm = fault{
	name:    "The daemon is restarted fifty times within one poll interval",
	promise: "No source is polled again and no signal is repeated",
}

func testStorm(t *testing.T, binary string, r *report) {
	redis := storetest.RedisAOF(t)
	p := wiretest.NewProcess(t, binary, "store: {redis: \"unix://"+redis.Addr()+"\"}")
	web, told := newCounting(t), newCounting(t)
	p.Start()
	p.Ready()
	c := p.Client()
	hook := map[string]any{"url": told.URL + "/hook"}
	if err := c.Call(t.Context(), http.MethodPost, "/api/v1/webhooks", hook, nil); err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		in := map[string]any{"url": fmt.Sprintf("%s/%d.xml", web.URL, n), "publish": "auto", "interval": "1h"}
		if err := c.Call(t.Context(), http.MethodPost, "/api/v1/sources", in, nil); err != nil {
			t.Fatal(err)
		}
	}
	raw := storetest.Commands(t, redis.Dial)
	wiretest.Eventually(t, "polled", func() bool {
		n, _, _ := web.counts()
		return n == 5 && raw.Int("HLEN", "sched:lease") == 0
	})
	signals, deliveries := 0, 0
	wiretest.Eventually(t, "each signal delivered", func() bool {
		signals = raw.Int("XLEN", "signals")
		_, _, deliveries = told.counts()
		return deliveries >= signals && raw.Int("ZCARD", "hub:ready")+raw.Int("ZCARD", "hub:later")+raw.Int("ZCARD", "hub:planning") == 0
	})
	began := time.Now()
	for range 50 {
		p.Kill()
		p.Start()
		wiretest.Eventually(t, "serving", func() bool { return strings.Contains(p.Log.String(), "serving") })
	}
	p.Ready()
	took := time.Since(began)
	time.Sleep(time.Second) // due sources are polled and stored signals are delivered
	_, least, most := web.counts()
	_, _, after := told.counts()
	if least != 1 || most != 1 {
		t.Errorf("sources were polled %d to %d times", least, most)
	}
	if n := raw.Int("XLEN", "signals"); n != signals || after != deliveries {
		t.Errorf("%d signals and %d deliveries became %d and %d", signals, deliveries, n, after)
	}
	r.add(&storm, fmt.Sprintf(
		"50 restarts in %.1f s: each source was polled once, %d signals and %d deliveries before and after", took.Seconds(), signals, after))
}
