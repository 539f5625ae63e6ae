package daemon

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/route"
	"github.com/feedwire/feedwire/store/storetest"
)

// underLoad is how long posts come and the feed is fetched before, and again after, a server is taken away.
var underLoad = flag.Duration("failover", time.Second, "how long a fail-over test has load before and after")

// A daemon goes on when its master is killed or hangs, when another one takes over as planned, and while its keys move to
// another node. Whatever the servers forget of that, in the end each post is an entry with a signal and an article.
func TestFailOver(t *testing.T) {
	t.Parallel()
	const prefix = "{feedwire}:"
	home := storetest.Home(route.Slot(prefix))
	sentinels := func(do func(w *storetest.Watched, master *storetest.Server) (after func())) func(t *testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			watched := storetest.NewWatched(t)
			watched.AwaitReplicas(2, 0)
			first := watched.Servers[0]
			failOver(t, watched.URL(), "", func() func() { return do(watched, first) }, func() *storetest.Redigo {
				wiretest.Eventually(t, "replaced", func() bool { return watched.Master() != first })
				return storetest.Commands(t, watched.Master().Dial)
			})
		}
	}
	nodes := func(do func(master *storetest.Server) (after func())) func(t *testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			cluster := storetest.NewCluster(t, true)
			failOver(t, cluster.URL(), prefix, func() func() { return do(cluster.Masters[home]) }, func() *storetest.Redigo {
				return storetest.NewRedigo(t, cluster.Replicas[home].Dial, prefix)
			})
		}
	}
	kill := func(s *storetest.Server) func() {
		s.Kill()
		return nil
	}
	hang := func(s *storetest.Server) func() {
		s.Stop()
		return s.Cont
	}
	t.Run("the master behind Sentinels hangs, and wakes up again",
		sentinels(func(_ *storetest.Watched, master *storetest.Server) func() { return hang(master) }))
	t.Run("a master of a cluster is killed", nodes(kill))
	inParts := func(t *testing.T, tag string) {
		t.Parallel()
		const prefix = "news:"
		cluster := storetest.NewCluster(t, true)
		lost := storetest.Home(route.Slot(prefix + tag))
		failOver(t, cluster.URL(), prefix, func() func() { return kill(cluster.Masters[lost]) }, func() *storetest.Redigo {
			now := cluster.Masters
			now[lost] = cluster.Replicas[lost]
			return storetest.InShards(t, prefix, "http://127.0.0.1/", now[0].Dial, now[1].Dial, now[2].Dial)
		})
	}
	t.Run("the master with the hub of an installation in parts is killed", func(t *testing.T) { inParts(t, "{hub}") })
	t.Run("the slot moves to another node", func(t *testing.T) {
		t.Parallel()
		cluster := storetest.NewCluster(t, false)
		to := cluster.Masters[(home+1)%3]
		move := func() func() {
			cluster.Move(route.Slot(prefix), cluster.Masters[home], to, nil)
			return nil
		}
		failOver(t, cluster.URL(), prefix, move, func() *storetest.Redigo { return storetest.NewRedigo(t, to.Dial, prefix) })
	})
	if *underLoad < 5*time.Second {
		t.Log("three more ways take minutes, up to one until leases end: run it with -failover 5s, as make test-failover does")
		return
	}
	t.Run("the master behind Sentinels is killed",
		sentinels(func(_ *storetest.Watched, master *storetest.Server) func() { return kill(master) }))
	t.Run("the Sentinels are told to switch", sentinels(func(w *storetest.Watched, _ *storetest.Server) func() {
		storetest.Commands(t, w.Sentinels[0].Dial).Do("SENTINEL", "FAILOVER", "feedwire")
		return nil
	}))
	t.Run("a master of a cluster hangs, and wakes up again", nodes(hang))
}

// failOver has a daemon work while something happens to its store, and more when the daemon has come to terms with that; nil:
// nothing. Where is a raw connection to what has the keys then.
func failOver(t *testing.T, url, prefix string, happen func() (after func()), where func() *storetest.Redigo) {
	t.Helper()
	t.Cleanup(func() { // when the daemon has ended and writes nothing
		if !t.Failed() {
			where().Check([]string{"production", "development"}, feed.ImportAfter)
		}
	})
	d := startAt(t, url, prefix, `  timeout: 2s
fetch: {allow_networks: [127.0.0.0/8], host_delay: 0s, min_interval: 0s, first_signals: 1000}
`, nil)
	web := wiretest.NewOrigin(t)
	const sources = 6
	most, pause := int64(25), 40*time.Millisecond // posts of each: a machine that has much else to do must be able to work them off
	if *underLoad >= 5*time.Second {
		most, pause = 50, 20*time.Millisecond
	}
	paths := make([]string, sources)
	posted := make([]atomic.Int64, sources)
	for i := range paths {
		paths[i] = fmt.Sprintf("/%d.xml", i)
		posted[i].Store(1)
		web.Set(paths[i], wiretest.Posts(1)...)
		d.add(web.URL+paths[i], map[string]any{"publish": "auto", "interval": "1s"})
	}
	var load sync.WaitGroup
	var refused, fetches int
	stop := make(chan struct{})
	every := func(pause time.Duration, do func(n int)) {
		load.Go(func() {
			tick := time.NewTicker(pause)
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-tick.C:
					do(n)
				case <-stop:
					return
				}
			}
		})
	}
	every(pause, func(n int) {
		if i := n % sources; posted[i].Load() < most {
			web.Set(paths[i], wiretest.Posts(int(posted[i].Add(1)))...)
		}
	})
	every(50*time.Millisecond, func(int) {
		fetches++
		if !d.feedIsServed("production") {
			refused++
		}
	})
	time.Sleep(*underLoad)
	before := time.Now()
	after := happen()
	marker := posted[0].Add(1) - 1
	web.Set(paths[0], wiretest.Posts(int(marker)+1)...)
	wiretest.Eventually(t, "at work again", func() bool {
		var a feed.Article
		uuid := feed.ArticleUUID(web.URL+paths[0], fmt.Sprint("p", marker))
		return d.Call(t.Context(), http.MethodGet, "/api/v1/articles/"+uuid, nil, &a) == nil
	})
	back := time.Since(before)
	if after != nil {
		after()
	}
	time.Sleep(*underLoad)
	close(stop)
	load.Wait()
	if refused > 0 {
		t.Errorf("%d of %d fetches of the feed were refused", refused, fetches)
	}

	commands := where()
	want := 0
	for i, path := range paths {
		n := int(posted[i].Load())
		want += n
		wiretest.Eventually(t, fmt.Sprintf("%d entries of %s", n, path), func() bool {
			return commands.Int("HLEN", web.URL+path+":guidmap") == n
		})
	}
	wiretest.Eventually(t, fmt.Sprintf("%d articles", want), func() bool { return commands.Int("ZCARD", "articles") == want })
	told := make(map[string]int)
	records, err := redis.Values(commands.Do("XRANGE", "signals", "-", "+"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records {
		fields, err := redis.StringMap(record.([]any)[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		if fields["kind"] == string(feed.PostCreated) {
			told[fields["feed_url"]+" "+fields["guid"]]++
		}
	}
	twice := 0
	for _, n := range told {
		twice += n - 1
	}
	if len(told) != want || twice > 0 {
		t.Errorf("%d of %d entries were signalled, %d times one too often", len(told), want, twice)
	}
	t.Logf("%d posts, at work again after %v; %d fetches, none refused", want, back.Round(10*time.Millisecond), fetches)
}

// feedIsServed fetches a feed as its consumer does and reports whether it came.
func (d *daemon) feedIsServed(typ string) bool {
	req, err := http.NewRequest(http.MethodGet, d.Base+"/feed/"+typ, nil)
	if err != nil {
		return false
	}
	req.Header.Set("User-Agent", wiretest.Facebook)
	resp, err := d.Http.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err == nil && resp.StatusCode == http.StatusOK
}
