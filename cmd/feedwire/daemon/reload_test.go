package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/desk/settings"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// reloader is a daemon whose configuration a test writes anew.
type reloader struct {
	*daemon
	path, head string
}

// startReloader starts a daemon that can read its configuration again.
func startReloader(t *testing.T, redis *storetest.Server, yaml string) *reloader {
	t.Helper()
	d := start(t, redis, yaml)
	r := &reloader{d, filepath.Join(t.TempDir(), "feedwire.yaml"), fmt.Sprintf(
		"data_dir: %s\nlisten: 127.0.0.1:0\nstore:\n  redis: unix://%s\n  timeout: %s\nhub:\n  allow_networks: [127.0.0.0/8]\n", d.app.cfg().DataDir, redis.Addr(),
		wiretest.StoreTimeout)}
	d.app.reloads.applying.Lock()
	d.app.load = func() (*config.Config, error) {
		return config.Load(r.path, []string{"FEEDWIRE_SEARCH_ENABLED=false"}, nil)
	}
	d.app.reloads.applying.Unlock()
	return r
}

const politeness = "fetch:\n  allow_networks: [127.0.0.0/8]\n  host_delay: 0s\n  min_interval: 0s\n"

// reload writes the file and has the daemon read it.
func (r *reloader) reload(yaml string) settings.Reload {
	r.t.Helper()
	if err := os.WriteFile(r.path, []byte(r.head+yaml), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return r.app.reload(r.t.Context())
}

// must reloads what is good.
func (r *reloader) must(yaml string) settings.Reload {
	r.t.Helper()
	done := r.reload(yaml)
	if !done.OK || len(done.Problems) > 0 {
		r.t.Fatalf("not taken over: %v", done.Problems)
	}
	return done
}

// Nothing that is under way is broken off, lost or done twice while the configuration changes again and again.
func TestReloadHarmsNothingUnderWay(t *testing.T) {
	t.Parallel()
	in, web := newInbox(t), wiretest.NewOrigin(t)
	const counted = "feeds:\n  production:\n    title: Edition %d\n    impressions: {retire_after: 1000, counted: [\"*\"]}\n"
	r := startReloader(t, storetest.RedisAOF(t), fmt.Sprintf(counted, 0))
	web.Set("/feed.xml", wiretest.Posts(1)...)
	src := r.add(web.URL+"/feed.xml", map[string]any{"publish": "auto"})
	r.do(http.MethodPost, "/api/v1/webhooks", map[string]any{"url": in.URL + "/hook", "kinds": []string{"post_created"}}, nil)
	wiretest.Eventually(t, "published", func() bool { return len(r.articles("feed=production&state=published")) == 1 })
	first := r.articles("feed=production")[0].UUID

	var under sync.WaitGroup
	stop := make(chan struct{})
	var fetched, failed atomic.Int64
	for range 3 {
		under.Go(func() {
			own := &http.Client{}
			defer own.CloseIdleConnections()
			for {
				select {
				case <-stop:
					return
				default:
				}
				resp, err := own.Get(r.Base + "/feed/production")
				if err != nil {
					failed.Add(1)
					continue
				}
				var body bytes.Buffer
				_, err = body.ReadFrom(resp.Body)
				_ = resp.Body.Close()
				if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(body.String(), "Post 0") || resp.Header.Get("X-Feedwire-Impressions") != "counted" {
					failed.Add(1)
					continue
				}
				if fetched.Add(1) > 600 {
					return
				}
			}
		})
	}
	const news = 10
	var streamed []string
	under.Go(func() { streamed, _ = heard(t, r.daemon, "0-0", 2+news) })

	for n := range 20 {
		done := r.must(politeness + fmt.Sprintf(counted, n+1) + strings.Repeat("  extra: {}\n", n%2) + fmt.Sprintf("signals: {keep: %dh}\n", 24+n%3))
		if !slices.ContainsFunc(done.Changes, func(c feed.SettingChange) bool {
			return c.Key == "feeds.production.title" && c.To == fmt.Sprintf("Edition %d", n+1) && !c.Restart
		}) {
			t.Errorf("reload %d tells of %+v", n, done.Changes)
		}
		if n%2 == 0 {
			all := append(wiretest.Posts(1), wiretest.Post("", "", ""))[:1]
			for i := range n/2 + 1 {
				all = append(all, wiretest.Post(fmt.Sprintf("n%d", i), fmt.Sprintf("News %d", i), "<p>Body.</p>"))
			}
			web.Set("/feed.xml", all...)
			r.poll(src)
		}
	}
	wiretest.Eventually(t, "told", func() bool { return len(in.got("/hook")) >= news })
	close(stop)
	under.Wait()
	if failed.Load() > 0 || fetched.Load() == 0 {
		t.Errorf("%d fetches failed of %d", failed.Load(), fetched.Load()+failed.Load())
	}
	impressions := func() int {
		var a feed.Article
		r.do(http.MethodGet, "/api/v1/articles/"+first, nil, &a)
		return len(a.Feeds["production"].Impressions)
	}
	wiretest.Eventually(t, "all counted", func() bool { return impressions() >= int(fetched.Load()) })
	if n := impressions(); n != int(fetched.Load()) {
		t.Errorf("%d impressions of %d fetches", n, fetched.Load())
	}
	seen := map[string]int{}
	for _, body := range in.got("/hook") {
		var told struct{ Data feed.Signal }
		if err := json.Unmarshal([]byte(body), &told); err != nil {
			t.Fatal(err)
		}
		seen[told.Data.Post.GUID]++
	}
	for guid, times := range seen {
		if times != 1 {
			t.Errorf("the webhook was told of %s %d times", guid, times)
		}
	}
	if len(streamed) != 2+news {
		t.Errorf("the stream had %d signals", len(streamed))
	}
	if _, guids, _ := r.fetch("production", "reader", nil); len(guids) != 1+news {
		t.Errorf("the feed holds %d", len(guids))
	}
}

func TestReloadTakesEffect(t *testing.T) {
	t.Parallel()
	redis, web := storetest.RedisAOF(t), wiretest.NewOrigin(t)
	r := startReloader(t, redis, "")
	var agent atomic.Value
	var moved atomic.Bool
	watched := web.Config.Handler
	web.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		agent.Store(req.UserAgent())
		if moved.Load() && req.URL.Path == "/feed.xml" {
			http.Redirect(w, req, "/second.xml", http.StatusFound)
			return
		}
		watched.ServeHTTP(w, req)
	})
	web.Set("/feed.xml", wiretest.Posts(1)...)
	web.Set("/second.xml", wiretest.Posts(1)...)
	src := r.add(web.URL+"/feed.xml", nil)

	r.must(politeness + "  user_agent: Gazette/1\napi: {token: another-secret-of-tests}\nfeeds:\n  production: {auth: {username: u, password: s3cret}}\n  kiosk: {sources: [\"*\"], publish: auto}\n" +
		"sources:\n  - url: " + web.URL + "/second.xml\nhousekeeping: {trim: \"*/3 * * * *\"}\n")
	if err := r.Call(t.Context(), http.MethodGet, "/api/v1/status", nil, nil); err == nil {
		t.Error("the old token still holds")
	}
	r.Token = "another-secret-of-tests"
	if status := r.status("/feed/production"); status != http.StatusUnauthorized {
		t.Errorf("a feed that has a password now answers %d", status)
	}
	if status := r.status("/feed/development"); status != http.StatusNotFound {
		t.Errorf("a feed that was removed answers %d", status)
	}
	if status, _, _ := r.fetch("kiosk", "reader", nil); status != http.StatusOK {
		t.Errorf("a new feed answers %d", status)
	}
	var second feed.Source
	wiretest.Eventually(t, "added", func() bool {
		return r.Call(t.Context(), http.MethodGet, "/api/v1/sources/"+feed.SourceID(web.URL+"/second.xml"), nil, &second) == nil
	})
	wiretest.Eventually(t, "published by the rule of the new feed", func() bool {
		_, guids, _ := r.fetch("kiosk", "reader", nil)
		return len(guids) > 0
	})
	r.poll(src)
	if agent.Load() != "Gazette/1" {
		t.Errorf("sources are asked by %v", agent.Load())
	}
	moved.Store(true)
	r.must(politeness + "  max_redirects: 0\napi: {token: another-secret-of-tests}\n")
	if after := r.poll(src); after.Poll.ErrorClass != "redirect_limit" || after.Poll.ErrorText != "more than 0 redirects" {
		t.Errorf("with max_redirects at 0 a redirect is followed: %+v", after.Poll)
	}
	moved.Store(false)
	r.must(politeness[:len("fetch:\n")] + "  allow_networks: []\n  host_delay: 0s\n  min_interval: 0s\napi: {token: another-secret-of-tests}\n")
	if after := r.poll(src); after.Poll.ErrorClass != "blocked_address" {
		t.Errorf("a network that is no longer allowed is reached: %+v", after.Poll)
	}
	r.must(politeness + "api: {token: another-secret-of-tests}\n")
	done := r.reload(politeness + "api: {token: another-secret-of-tests}\npublic_url: https://other.example\n")
	if !done.OK {
		t.Fatal(done.Problems)
	}
	restart := slices.IndexFunc(done.Changes, func(c feed.SettingChange) bool { return c.Key == "public_url" && c.Restart })
	if restart < 0 || r.app.cfg().PublicURL != r.Base {
		t.Errorf("public_url is %s after %+v", r.app.cfg().PublicURL, done.Changes)
	}
	if again := r.must(politeness + "api: {token: another-secret-of-tests}\npublic_url: https://other.example\n"); len(again.Changes) != 1 {
		t.Errorf("what waits for a restart is told as %+v", again.Changes)
	}
}

func TestReloadOfABadFileChangesNothing(t *testing.T) {
	t.Parallel()
	r := startReloader(t, storetest.RedisAOF(t), "")
	r.must(politeness)
	var before, after []feed.Setting
	settings := func(into *[]feed.Setting) {
		var page feed.Page[feed.Setting]
		r.do(http.MethodGet, "/api/v1/settings", nil, &page)
		*into = page.Items
	}
	settings(&before)
	at := strings.Count(r.head+politeness, "\n") + 1
	if err := os.WriteFile(r.path, []byte(r.head+politeness+"log: {level: lots}\nfeeds: {production: {windows: 2h}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := r.Call(t.Context(), http.MethodPost, "/-/reload", nil, nil)
	for _, want := range []string{fmt.Sprintf("%s:%d:14: log.level", r.path, at), fmt.Sprintf("%s:%d:", r.path, at+1), "did you mean window?"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the answer does not say %q: %v", want, err)
		}
	}
	settings(&after)
	if !slices.Equal(before, after) {
		t.Errorf("a bad file changed the settings")
	}
	if ok, when := testutil.ToFloat64(r.app.metrics.reloadOK), testutil.ToFloat64(r.app.metrics.reloadTime); ok != 0 || when == 0 {
		t.Errorf("the metrics are %v and %v", ok, when)
	}
	_, _, page := r.signUp(t, "ada").sees("/settings")
	if !strings.Contains(page, "was not applied") || !strings.Contains(page, "did you mean window?") {
		t.Errorf("the page does not tell: %s", page)
	}
	for _, c := range []struct {
		token  string
		status int
	}{{"", http.StatusUnauthorized}, {"wrong", http.StatusUnauthorized}, {r.Token, http.StatusOK}} {
		r.reload(politeness)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.Base+"/-/reload", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.token != "" {
			req.Header.Set("Authorization", "Bearer "+c.token)
		}
		resp, err := r.Http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("with token %q: %s", c.token, resp.Status)
		}
	}
	if ok := testutil.ToFloat64(r.app.metrics.reloadOK); ok != 1 {
		t.Errorf("after a good file the metric is %v", ok)
	}
}

func TestLogFollowsTheConfiguration(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, set := setup.NewLogger(&out, config.Log{Level: slog.LevelInfo, Format: "json"})
	child := log.With("room", "ingest")
	child.Debug("hidden")
	child.Info("one")
	set(config.Log{Level: slog.LevelDebug, Format: "text"})
	child.Debug("two")
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "{") ||
		!strings.Contains(lines[1], "level=DEBUG msg=two room=ingest") {
		t.Errorf("logged\n%s", out.String())
	}
}

func TestOperatorsOfThisMachineNeedNoToken(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "admin: {listen: 127.0.0.1:0}\n")
	address := "http://" + d.app.admin.Addr().String()
	for _, c := range []struct {
		header, value string
		status        int
	}{
		{"", "", http.StatusOK},
		{"X-Forwarded-For", "192.0.2.1", http.StatusUnauthorized},
		{"Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"Host", "rebound.example", http.StatusUnauthorized},
	} {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, address+"/-/reload", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(c.header, c.value)
		if c.header == "" {
			req.Header = http.Header{}
		}
		if c.header == "Host" {
			req.Host = c.value
		}
		resp, err := d.Http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("%s: %s gets %s", c.header, c.value, resp.Status)
		}
	}
}
