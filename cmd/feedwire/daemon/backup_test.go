package daemon

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/ops"
	"github.com/feedwire/feedwire/store/storetest"
)

// A backup of a daemon at work, brought into another Redis, is gone on with as if nothing had happened.
func TestBackupOfABusyDaemonGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	web, in := wiretest.NewOrigin(t), newInbox(t)
	var asked atomic.Int64
	inner := web.Config.Handler
	web.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		inner.ServeHTTP(w, r)
	})
	old := storetest.RedisAOF(t)
	d := start(t, old, "")
	var sources []feed.Source
	for _, path := range []string{"/a.xml", "/b.xml", "/c.xml"} {
		web.Set(path, wiretest.Posts(3)...)
		sources = append(sources, d.add(web.URL+path, map[string]any{"publish": "auto"}))
	}
	hook := in.URL + "/hook"
	d.do(http.MethodPost, "/api/v1/webhooks", map[string]any{"url": hook, "kinds": []string{"post_created"}}, nil)
	wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 9 })

	stop := make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() { // fetches that count, up to the third impression of each article and beyond
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			req, _ := http.NewRequest(http.MethodGet, d.Base+"/feed/production", nil)
			req.Header.Set("User-Agent", wiretest.Facebook)
			if resp, err := d.Http.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		}
	})
	busy.Go(func() {
		for n := 0; n < 20; n++ {
			select {
			case <-stop:
				return
			default:
			}
			web.Set("/a.xml", append(wiretest.Posts(3), wiretest.Post("n", "News", strings.Repeat("x", n+1)))...)
			_, _ = client.Poll(t.Context(), d.Client, sources[0].ID, nil)
		}
	})
	user(t, strings.TrimPrefix(d.Base, "http://"), d.app.cfg().DataDir)
	file := filepath.Join(t.TempDir(), "wire.backup")
	made := mustJSON[ops.Backup](t, "backup", file)
	close(stop)
	busy.Wait()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || made.Keys < 30 {
		t.Fatalf("backup %+v: %v, %v", made, info.Mode(), err)
	}

	fresh := storetest.RedisAOF(t)
	setenv(t, "FEEDWIRE_STORE_REDIS", "unix://"+fresh.Addr())
	if out := must(t, "restore", file); !strings.Contains(out, "keys of") {
		t.Errorf("restore says %q", out)
	}
	fails(t, cli.ExitFailed, "--force", "restore", file)
	storetest.Check(t, fresh.Dial, []string{"production", "development"}, 4)
	was := storetest.Commands(t, fresh.Dial)
	due, signals := was.StringMap("ZRANGE", "sched:due", 0, -1, "WITHSCORES"), was.Int("XLEN", "signals")
	cursor, _ := was.Do("GET", "hub:cursor").([]byte)
	told, entries := len(in.got("/hook")), was.Int("GET", "ids:Entry")
	counted := was.Int("EXISTS", "published_production") + was.Int("ZCARD", "imported_production")
	if signals == 0 || entries < 9 || counted == 0 {
		t.Fatalf("%d signals, %d entries", signals, entries)
	}
	guids := 0
	for _, s := range sources {
		guids += was.Int("HLEN", s.URL+":guidmap")
	}
	if created := len(d.signals()); created < signals-1 || guids != entries {
		t.Errorf("%d guids of %d entries", guids, entries)
	}

	before := asked.Load()
	next := start(t, fresh, "")
	wiretest.Eventually(t, "at work", func() bool {
		return next.metric("feedwire_http_requests_total", "", "") > 0 && len(next.articles("")) >= 9
	})
	if status, _, _ := next.fetch("production", "reader", nil); status != http.StatusOK {
		t.Errorf("the feed answers %d", status)
	}
	polled := map[string]bool{}
	for url, at := range was.StringMap("ZRANGE", "sched:due", 0, -1, "WITHSCORES") {
		if due[url] != at {
			polled[url] = true
		}
	}
	for url := range polled { // one whose poll was under way may follow
		if url != sources[0].URL {
			t.Errorf("%s is due at another time than before", url)
		}
	}
	if n := asked.Load() - before; int(n) > len(polled) {
		t.Errorf("%d polls after the restore, of %v", n, polled)
	}
	web.Set("/b.xml", append(wiretest.Posts(3), wiretest.Post("fresh", "Fresh", "<p>Fresh.</p>"))...)
	next.poll(sources[1])
	wiretest.Eventually(t, "told of what is new", func() bool {
		for _, body := range in.got("/hook")[told:] {
			if strings.Contains(body, "Fresh.") {
				return true
			}
		}
		return false
	})
	if now, _ := was.Do("GET", "hub:cursor").([]byte); string(now) <= string(cursor) {
		t.Errorf("the hub went from %s to %s", cursor, now)
	}
	for _, body := range in.got("/hook")[told:] {
		if strings.Contains(body, `"guid":"p`) {
			t.Errorf("a signal from before was sent again: %s", body)
		}
	}
	storetest.Check(t, fresh.Dial, []string{"production", "development"}, 4)
}

func TestRestoreOfAPrivateStoreNeedsTheDaemonStopped(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "")
	user(t, strings.TrimPrefix(d.Base, "http://"), d.app.cfg().DataDir)
	file := filepath.Join(t.TempDir(), "wire.backup")
	must(t, "backup", file)
	fails(t, cli.ExitFailed, "data_dir", "restore", file) // which this daemon has, although its store is elsewhere

	dir := t.TempDir()
	setenv(t, "FEEDWIRE_DATA_DIR", dir)
	must(t, "restore", file)
	fails(t, cli.ExitFailed, "--force", "restore", file)
	must(t, "restore", "--force", file)
	storetest.Check(t, storetest.Open(t, filepath.Join(dir, "redis")), []string{"production"}, 4)
	fails(t, cli.ExitFailed, "no such file", "restore", filepath.Join(dir, "nothing"))
	if err := os.WriteFile(file, []byte("no backup"), 0o600); err != nil {
		t.Fatal(err)
	}
	setenv(t, "FEEDWIRE_DATA_DIR", t.TempDir())
	fails(t, cli.ExitFailed, "it does not begin with", "restore", file)
	setenv(t, "FEEDWIRE_DATA_DIR", d.app.cfg().DataDir)
	redis.Kill()
	code, _, stderr := feedwire(t, "backup", file)
	if code != cli.ExitFailed || !strings.Contains(stderr, "refused") {
		t.Errorf("with the store away: %d, %s", code, stderr)
	}
	redis.Restart()
}
