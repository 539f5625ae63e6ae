package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

var outageLength = flag.Duration("outage", 5*time.Second, "how long the Redis of TestOutageIsUnseen is away")

// consumers take two feeds all the time, and keep count of what they got whole.
type consumers struct {
	t       *testing.T
	address string
	items   int
	pause   sync.RWMutex // locked: no fetch is under way
	stop    chan struct{}
	all     sync.WaitGroup

	mu      sync.Mutex
	fetches map[string]int // whole ones, by feed
	slowest time.Duration
}

// take has clients fetch a feed, each with a pause between two fetches.
func (c *consumers) take(typ string, clients int, pause time.Duration, keepAlive bool) {
	for range clients {
		c.all.Go(func() {
			client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: !keepAlive}}
			defer client.CloseIdleConnections()
			for {
				select {
				case <-c.stop:
					return
				case <-time.After(pause):
				}
				c.fetch(client, typ)
			}
		})
	}
}

func (c *consumers) fetch(client *http.Client, typ string) {
	c.pause.RLock()
	defer c.pause.RUnlock()
	start := time.Now()
	guids, err := wiretest.Crawl(client, "http://"+c.address+"/feed/"+typ, wiretest.Facebook)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || len(guids) != c.items {
		c.t.Errorf("a consumer of %s got %d articles, %v", typ, len(guids), err)
		return
	}
	c.fetches[typ]++
	c.slowest = max(c.slowest, time.Since(start))
}

func (c *consumers) whole(typ string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fetches[typ]
}

// scrape sums the series of a metric of another process whose labels hold a text.
func scrape(t *testing.T, address, name, label string) (sum float64) {
	t.Helper()
	resp, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		series, value, _ := strings.Cut(lines.Text(), " ")
		if bare, _, _ := strings.Cut(series, "{"); bare == name && strings.Contains(series, label) {
			n, _ := strconv.ParseFloat(value, 64)
			sum += n
		}
	}
	return sum
}

// recorded is how many impressions of a feed the store has: the sum of what it did for each fetch that it remembers.
func recorded(t *testing.T, raw *storetest.Redigo, typ string) (sum int) {
	t.Helper()
	keys := raw.Strings("KEYS", "fetch:"+typ+":*")
	if len(keys) == 0 {
		return 0
	}
	args := make([]any, len(keys))
	for i, key := range keys {
		args[i] = key
	}
	for _, text := range raw.Strings("MGET", args...) {
		var did []string // "0", counted, ignored, promoted ...
		if err := json.Unmarshal([]byte(text), &did); err != nil || len(did) < 3 {
			t.Fatalf("a fetch is remembered as %q", text)
		}
		n, err := strconv.Atoi(did[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

// Redis hangs and dies under consumers that fetch all the time, the daemon is killed and started meanwhile, and Redis
// comes back. No consumer sees an error, but for the moment in which there is no daemon, and in the end the store
// has as many impressions as they have whole answers, and the daemon says so. -outage 30s makes it longer.
func TestOutageIsUnseen(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	p := wiretest.BuildProgram(t, fmt.Sprintf(`
store: {redis: "unix://%s"}
feeds:
  production: {impressions: {retire_after: 1000}}
  standing: {sources: ["*"], impressions: {retire_after: 0}}
`, redis.Addr()))
	c := p.Client()
	p.Start("FEEDWIRE_STORE_TIMEOUT=2s")
	p.Ready()
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(5)...)
	in := map[string]any{"url": web.URL + "/feed.xml", "publish": "auto", "feeds": []string{"production"}, "interval": "1h"}
	if err := c.Call(t.Context(), http.MethodPost, "/api/v1/sources", in, nil); err != nil {
		t.Fatal(err)
	}
	types := []string{"production", "standing"}
	for _, typ := range types {
		wiretest.Eventually(t, "published in "+typ, func() bool {
			guids, err := wiretest.Crawl(http.DefaultClient, c.Base+"/feed/"+typ, "curl/8")
			return err == nil && len(guids) == 5
		})
	}
	for _, typ := range types {
		wiretest.Eventually(t, "a copy of "+typ+" is on disk", func() bool {
			text, _ := os.ReadFile(filepath.Join(filepath.Dir(p.Config), "data", "copies", typ+".copy"))
			return bytes.Count(text, []byte("<item>")) == 5
		})
	}

	crowd := &consumers{t: t, address: p.Address, items: 5, stop: make(chan struct{}), fetches: make(map[string]int)}
	crowd.take("production", 2, max(50*time.Millisecond, *outageLength/300), false) // below 1000 in all
	crowd.take("standing", 8, 10*time.Millisecond, true)
	before := make(map[string]float64) // impressions that a daemon counted before it was killed
	counted := func(typ string) int {
		return int(before[typ] + scrape(t, p.Address, "feedwire_impressions_total", `feed="`+typ+`",outcome="counted"`))
	}
	time.Sleep(*outageLength / 5)

	third := *outageLength / 3
	redis.Stop()
	time.Sleep(third)
	redis.Kill()
	time.Sleep(third)
	crowd.pause.Lock()
	for _, typ := range types {
		wiretest.Eventually(t, "all of "+typ+" is in the store or the journal", func() bool {
			journal := scrape(t, p.Address, "feedwire_impressions_journal_fetches", `feed="`+typ+`"`)
			return counted(typ)+5*int(journal) == 5*crowd.whole(typ)
		})
	}
	for _, typ := range types {
		before[typ] = float64(counted(typ))
	}
	stale := scrape(t, p.Address, "feedwire_feed_stale_total", "")
	p.Kill()
	p.Start("FEEDWIRE_STORE_TIMEOUT=2s")
	wiretest.Eventually(t, "alive", func() bool { return c.Call(t.Context(), http.MethodGet, "/healthz", nil, nil) == nil })
	crowd.pause.Unlock()
	time.Sleep(third)
	stale += scrape(t, p.Address, "feedwire_feed_stale_total", "")

	redis.Restart()
	back := time.Now()
	for _, typ := range types {
		wiretest.Eventually(t, typ+" is fresh", func() bool {
			resp, err := http.Get(c.Base + "/feed/" + typ)
			if err != nil {
				return false
			}
			resp.Body.Close()
			return resp.Header.Get("X-Feedwire-Stale") == ""
		})
	}
	recovered := time.Since(back)
	time.Sleep(time.Second)
	close(crowd.stop)
	crowd.all.Wait()
	raw := storetest.Commands(t, redis.Dial)
	for _, typ := range types {
		want := 5 * crowd.whole(typ)
		for deadline := time.Now().Add(time.Minute); recorded(t, raw, typ) != want; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: the store has %d impressions, %d were taken", typ, recorded(t, raw, typ), want)
			}
		}
		wiretest.Eventually(t, "counted as recorded: "+typ, func() bool { return counted(typ) == want })
	}
	for _, uuid := range raw.Strings("ZRANGE", "published_production", 0, -1) {
		if n := raw.Int("LLEN", "article:"+uuid+":impressions:production"); n != crowd.whole("production") {
			t.Errorf("%s has %d impressions, %d fetches were whole", uuid, n, crowd.whole("production"))
		}
	}
	storetest.Check(t, redis.Dial, types[:1], 1000)
	t.Logf("%v whole fetches, %v of them stale; the slowest took %v; fresh %v after the end",
		crowd.fetches, stale, crowd.slowest.Round(time.Millisecond), recovered.Round(time.Millisecond))
	if stale == 0 || recovered > wiretest.Recovery {
		t.Errorf("%v stale answers, fresh %v after the store was back", stale, recovered)
	}
}
