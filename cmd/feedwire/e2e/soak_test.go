//go:build soak

package e2e

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

var soakLength = flag.Duration("soak", 10*time.Minute, "how long TestSoak runs; the first third is not looked at")

// What is measured of a daemon and its Redis, and what it may grow by in a minute. Redis keeps what it is told for a time
// that is longer than this test: the id of each fetch for an hour, each version of a topic for 25 h.
var soaked = []struct {
	name  string
	unit  float64
	shown string
	most  float64 // in a minute, in that unit
	of    func(t *testing.T, p *wiretest.Process, raw *storetest.Redigo) float64
}{
	{"memory of the daemon (RSS)", 1 << 20, "MiB", 1, metricOf("process_resident_memory_bytes")},
	{"goroutines", 1, "", 1, metricOf("go_goroutines")},
	{"open files", 1, "", 1, metricOf("process_open_fds")},
	{"memory of Redis", 1 << 20, "MiB", 2, func(_ *testing.T, _ *wiretest.Process, raw *storetest.Redigo) float64 {
		for line := range strings.Lines(string(raw.Do("INFO", "memory").([]byte))) {
			if text, ok := strings.CutPrefix(line, "used_memory:"); ok {
				n, _ := strconv.ParseFloat(strings.TrimSpace(text), 64)
				return n
			}
		}
		return 0
	}},
}

func metricOf(name string) func(*testing.T, *wiretest.Process, *storetest.Redigo) float64 {
	return func(t *testing.T, p *wiretest.Process, _ *storetest.Redigo) float64 {
		return scrape(t, p.Address, name, "")
	}
}

// slope is by how much y grows for each x, as the line closest to all of them does.
func slope(x, y []float64) float64 {
	var mx, my, xy, xx float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += y[i] / float64(len(y))
	}
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
	}
	return xy / xx
}

// Five hundred sources are polled every ten seconds, of which one changes each second; two hundred subscribers are told, and
// crawlers fetch all the time. After the first third nothing grows.
func TestSoak(t *testing.T) {
	const sources, topics, subscribers, items = 500, 20, 200, 10
	redis := storetest.RedisAOF(t)
	p := wiretest.BuildProgram(t, "store: {redis: \"unix://"+redis.Addr()+"\"}\nfeeds:\n  production: {}\n  standing: {sources: [\"*\"], impressions: {retire_after: 0}}")
	p.Start()
	p.Ready()
	c, web := p.Client(), wiretest.NewOrigin(t)
	path := func(n int) string { return fmt.Sprintf("/%d.xml", n) }
	listed := make([][]wiretest.Item, sources)
	for n := range sources {
		listed[n] = wiretest.Posts(items)
		web.Set(path(n), listed[n]...)
		in := map[string]any{"url": web.URL + path(n), "publish": "auto", "interval": "10s"}
		if err := c.Call(t.Context(), http.MethodPost, "/api/v1/sources", in, nil); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	told := 0
	callbacks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, r.FormValue("hub.challenge"))
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		defer mu.Unlock()
		told++
	}))
	t.Cleanup(callbacks.Close)
	for n := range subscribers {
		resp, err := http.PostForm(c.Base+"/hub", url.Values{
			"hub.mode": {"subscribe"}, "hub.topic": {web.URL + path(n%topics)}, "hub.callback": {fmt.Sprintf("%s/%d", callbacks.URL, n)},
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	wiretest.Eventually(t, "subscribed", func() bool { return len(subscriptions(t, p)) == subscribers })

	stop := make(chan struct{})
	var working sync.WaitGroup
	fetches := 0
	for n, agent := range []string{wiretest.Facebook, wiretest.Facebook, "curl/8", "Mozilla/5.0"} {
		working.Go(func() {
			client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: n%2 == 0}}
			defer client.CloseIdleConnections()
			for {
				select {
				case <-stop:
					return
				case <-time.After(250 * time.Millisecond):
				}
				for _, typ := range []string{"production", "standing"} {
					if _, err := wiretest.Crawl(client, c.Base+"/feed/"+typ, agent); err != nil {
						t.Errorf("crawler %d: %v", n, err)
						return
					}
					mu.Lock()
					fetches++
					mu.Unlock()
				}
			}
		})
	}
	began, next := time.Now(), 0
	working.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Second):
			}
			n := next % sources
			listed[n][next%items].Body = fmt.Sprintf("<p>Edited after %v.</p>", time.Since(began))
			web.Set(path(n), listed[n]...)
			next += 7 // and every topic in its turn
		}
	})

	raw := storetest.Commands(t, redis.Dial)
	var minutes []float64
	values := make([][]float64, len(soaked))
	for time.Since(began) < *soakLength {
		time.Sleep(*soakLength / 200)
		if time.Since(began) < *soakLength/3 {
			continue
		}
		minutes = append(minutes, time.Since(began).Minutes())
		for i, s := range soaked {
			values[i] = append(values[i], s.of(t, p, raw)/s.unit)
		}
	}
	close(stop)
	working.Wait()

	var table strings.Builder
	lines := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(lines, "\nwhat\tfirst\tlast\ta minute\tmost allowed")
	for i, s := range soaked {
		grows := slope(minutes, values[i])
		fmt.Fprintf(lines, "%s\t%.1f %s\t%.1f %s\t%+.3f\t%g\n", s.name, values[i][0], s.shown, values[i][len(values[i])-1], s.shown, grows, s.most)
		if grows > s.most {
			t.Errorf("%s grows by %.2f %s a minute", s.name, grows, s.shown)
		}
	}
	_ = lines.Flush()
	t.Logf("%v: %d polls, %d changes, %d deliveries, %d fetches; measured over the last %.1f minutes%s", *soakLength,
		int(scrape(t, p.Address, "feedwire_polls_total", "")), next/7, told, fetches, minutes[len(minutes)-1]-minutes[0], table.String())
	if told == 0 || fetches == 0 {
		t.Error("nothing was delivered or fetched: nothing is shown")
	}
}
