package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// ailments are all findings that are not well, each made by what leads to it.
func ailments(t *testing.T) []finding {
	t.Helper()
	good := func(change func(*store.Health)) []finding {
		h := store.Health{Version: "7.0.15", Role: "master", AOF: true, Fsync: "always", Policy: "noeviction", Memory: 1 << 20}
		change(&h)
		return examineStore(&h, nil)
	}
	configured := func(change func(*config.Config), environment ...string) []finding {
		cfg := testConfig(t, "")
		change(cfg)
		return examineConfig(cfg, environment)
	}
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	source := func(state feed.PollState) []finding { return examineSources([]feed.Source{{Poll: state}}, now) }
	reloaded := func(last desk.Reload) []finding {
		a := &app{reloads: newReloads()}
		a.reloads.newest = last
		return a.examineReload()
	}
	cfg := testConfig(t, "store: {pool: 4096}\n")
	u := &url.URL{Scheme: "https", Host: "wire.example"}
	certificate := &http.Response{TLS: &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{NotAfter: now.Add(time.Hour)}}}}
	proxied := testConfig(t, "fetch: {proxy: \"http://127.0.0.1:1\", allow_networks: [127.0.0.0/8]}\n")

	here := &app{}
	here.config.Store(&config.Config{PublicURL: "http://localhost:8080"})

	var all []finding
	for _, found := range [][]finding{
		examineStore(&store.Health{}, errors.New("refused")), examineStore(&store.Health{}, nil),
		good(func(h *store.Health) { h.Version = "6.0.16" }), good(func(h *store.Health) { h.Role = "slave" }),
		good(func(h *store.Health) { h.AOF = false }), good(func(h *store.Health) { h.Fsync = "everysec" }),
		good(func(h *store.Health) { h.SaveErrors = []string{"aof_last_write_status"} }),
		good(func(h *store.Health) { h.Policy = "allkeys-lru" }), good(func(h *store.Health) { h.Memory, h.MaxMemory = 85, 100 }),
		good(func(h *store.Health) { h.Timeout = time.Minute }), good(func(h *store.Health) { h.Refused = []string{"DUMP"} }),
		good(func(h *store.Health) { h.Unseen = []string{"CONFIG GET timeout"} }), good(func(h *store.Health) { h.Skew = -5 * time.Second }),
		{examineDisk(100<<20, 10<<30)}, {examineFiles(1024, cfg)},
		configured(func(c *config.Config) { c.Fetch.AllowNetworks = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")} }),
		configured(func(*config.Config) {}, "https_proxy=http://127.0.0.1:1"),
		examineProxy(t.Context(), proxied), examineTLS(&url.URL{Scheme: "http"}, nil, now), examineTLS(u, certificate, now),
		source(feed.PollState{Errors: 1, ErrorClass: "dns", NextPoll: now}), source(feed.PollState{NextPoll: now.Add(-time.Hour)}),
		reloaded(desk.Reload{Time: now, Problems: []string{"x"}}), reloaded(desk.Reload{Time: now, OK: true, Changes: []desk.SettingChange{{Key: "listen", Restart: true}}}),
		here.examineAddress(t.Context()), judgeAddress(u, "", nil, errors.New("no such host"), "proof"),
		judgeAddress(u, "", &http.Response{StatusCode: http.StatusFound}, nil, "proof"),
		judgeAddress(u, "", &http.Response{StatusCode: http.StatusBadGateway}, nil, "proof"),
		judgeAddress(u, "somebody else", &http.Response{StatusCode: http.StatusOK}, nil, "proof"),
		unready("the store does not take writes"), unmade("production", errors.New("no")),
		examineAlone(context.Background(), cfg, errors.New("no daemon answers")),
	} {
		bad := slices.DeleteFunc(found, func(f finding) bool { return f.Level == wellLevel })
		if len(bad) == 0 {
			t.Errorf("nothing is found among case %d", len(all))
		}
		all = append(all, bad...)
	}
	cfg.DataDir += "/gone"
	all = append(all, examineHost(cfg)[0])
	return all
}

func TestDoctorIsDocumented(t *testing.T) {
	found := ailments(t)
	text, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| check | level |")
	table, _, _ = strings.Cut(table, "\n\n")
	want := map[string]bool{}
	for _, f := range found {
		want[f.Check+": "+f.Why] = true
		if !strings.Contains(table, "| `"+f.Check+"` | "+f.Level+" |") || !strings.Contains(table, f.Why+" |") {
			t.Errorf("docs/operating.md has no line for %+v", f)
		}
	}
	if rows := strings.Count(table, "\n| `"); rows != len(want) {
		t.Errorf("docs/operating.md has %d findings, the test makes %d", rows, len(want))
	}
}

func TestDoctorAsksTheDaemon(t *testing.T) {
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "")
	user(t, strings.TrimPrefix(d.base, "http://"), d.app.cfg().DataDir)
	found := mustJSON[[]finding](t, "doctor")
	for _, check := range []string{"redis", "redis-role", "redis-durability", "redis-memory", "clock", "store", "guard", "sources", "feeds", "configuration"} {
		if !slices.ContainsFunc(found, func(f finding) bool { return f.Check == check && f.Level == wellLevel }) {
			t.Errorf("%s is not well: %+v", check, found)
		}
	}
	table(t, must(t, "doctor"), []string{"warn", "public-url", "public_url is *"}, []string{"", "", "why: *"}, []string{"ok", "redis", "Redis * answers"})

	storetest.Commands(t, redis.Dial).Do("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	code, out, stderr := cli(t, "doctor")
	if code != exitUnhealthy || !strings.Contains(stderr, "1 of") {
		t.Errorf("with a bad finding it ends with %d, %q", code, stderr)
	}
	table(t, out, []string{"bad", "redis-memory", "maxmemory-policy is allkeys-lru"})
}

func TestDoctorSeesWhatItCanWithoutADaemon(t *testing.T) {
	user(t, "127.0.0.1:1", t.TempDir())
	redis := storetest.RedisAOF(t)
	t.Setenv("FEEDWIRE_STORE_REDIS", "unix://"+redis.Addr())
	t.Setenv("FEEDWIRE_API_TOKEN", "x")
	code, out, _ := cli(t, "doctor")
	if code != exitUnhealthy {
		t.Errorf("it ends with %d", code)
	}
	table(t, out, []string{"bad", "daemon", "no daemon answers at *"}, []string{"warn", "daemon", "not looked at: public_url, sources and feeds"},
		[]string{"ok", "redis", "Redis * answers"})
}

func TestPublicURLThatLeadsHereIsWell(t *testing.T) {
	d := start(t, storetest.RedisAOF(t), "")
	said, resp, err := askFor(t.Context(), d.base+selfPath+"?question=abc")
	if err != nil || resp.StatusCode != http.StatusOK || said != d.app.store.Proof("abc") || said == d.app.store.Proof("abd") {
		t.Errorf("got %q, %v", said, err)
	}
	other := start(t, storetest.RedisAOF(t), "")
	if other.app.store.Proof("abc") == said {
		t.Error("another installation proves to be this one")
	}
}
