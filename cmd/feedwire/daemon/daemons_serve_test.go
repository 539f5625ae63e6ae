//go:build !race

package daemon

import (
	"flag"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// servedFor is how long readers fetch a feed.
var servedFor = flag.Duration("serving", 200*time.Millisecond, "how long daemons serve a feed for each figure")

// fetches are of the feed, by readers who go from daemon to daemon as a balancer leads them. Before them crawlers do so until all
// articles have retired, whoever has served them.
func (f *fleet) fetches() workload {
	const each = 5 // articles
	t := f.t
	web := wiretest.NewOrigin(t)
	web.Set("/articles.xml")
	src := f.daemons[0].add(web.URL+"/articles.xml", map[string]any{"publish": "auto"})
	articles := 0
	return workload{"fetches a second of processor time", func() float64 {
		articles += each
		web.Set("/articles.xml", wiretest.Posts(articles)...)
		f.daemons[0].poll(src)
		wiretest.Eventually(t, "published", func() bool { return f.raw.Int("ZCARD", "published_production") == each })
		f.retire(src, articles)
		return f.load()
	}, func(d *daemon) float64 { return d.metric("feedwire_feed_requests_total", "client", "other") }}
}

// retire has crawlers fetch the feed of all daemons until it is empty.
func (f *fleet) retire(src feed.Source, articles int) {
	f.t.Helper()
	seen := wiretest.Ledger{Seen: make(map[string]int)}
	var crawlers sync.WaitGroup
	var turn atomic.Int64
	deadline := time.Now().Add(time.Minute)
	for range 4 {
		crawlers.Go(func() {
			client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
			for time.Now().Before(deadline) {
				guids, err := wiretest.Crawl(client, f.next(&turn)+"/feed/production", wiretest.Facebook)
				if err != nil {
					f.t.Error(err)
				}
				if len(guids) == 0 {
					return
				}
				seen.Add(guids)
			}
		})
	}
	crawlers.Wait()
	wiretest.Eventually(f.t, "all imported", func() bool { return f.raw.Int("ZCARD", "imported_production") == articles })
	for uuid, n := range seen.Seen {
		if got := f.raw.Int("LLEN", "article:"+uuid+":impressions:production"); got != feed.ImportAfter || n < got {
			f.t.Errorf("article %s is imported with %d impressions; %d complete answers held it", uuid, got, n)
		}
	}
	promoted := 0.0
	for _, d := range f.daemons {
		promoted += d.metric("feedwire_article_transitions_total", "to", "imported")
	}
	if int(promoted) != articles {
		f.t.Errorf("%d articles of %s were imported %v times", articles, src.URL, promoted)
	}
}

// next is the daemon whose turn it is.
func (f *fleet) next(turn *atomic.Int64) string {
	return f.daemons[int(turn.Add(1))%len(f.daemons)].Base
}

// load has readers fetch the feed one time after another, and says how many fetches a second of processor time brings, with that
// of Redis and of the readers. By the clock they cannot become more where all of them share two processors; but no daemon may
// take more for a fetch because there are others.
func (f *fleet) load() float64 {
	f.t.Helper()
	var turn atomic.Int64
	var mu sync.Mutex
	spent := make(map[string]time.Duration)
	count := make(map[string]int)
	var readers sync.WaitGroup
	redis, own, begun := f.redis.ProcessorTime(), storetest.ProcessorTime(f.t), time.Now()
	for range 4 {
		readers.Go(func() {
			client := &http.Client{Timeout: time.Minute}
			defer client.CloseIdleConnections()
			for time.Since(begun) < *servedFor {
				at, start := f.next(&turn), time.Now()
				_, err := wiretest.Crawl(client, at+"/feed/production", "a reader/1.0")
				if err != nil {
					f.t.Error(err)
					return
				}
				mu.Lock()
				spent[at] += time.Since(start)
				count[at]++
				mu.Unlock()
			}
		})
	}
	readers.Wait()
	own, redis = storetest.ProcessorTime(f.t)-own, f.redis.ProcessorTime()-redis
	all, means := 0, []time.Duration(nil)
	for at, n := range count {
		all += n
		means = append(means, spent[at]/time.Duration(n))
	}
	f.t.Logf("%d daemons: a fetch takes %v at one, %v at another; Redis takes %.1f %% of the processor time", len(f.daemons),
		slices.Min(means).Round(10*time.Microsecond), slices.Max(means).Round(10*time.Microsecond), 100*redis.Seconds()/(own+redis).Seconds())
	return float64(all) / (own + redis).Seconds()
}
