package doctor

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

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/desk/settings"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/ops"
)

// ailments are all findings that are not well, each made by what leads to it.
func ailments(t *testing.T) []Finding {
	t.Helper()
	good := func(change func(*ops.Health)) []Finding {
		h := ops.Health{Version: "7.0.15", Role: "master", AOF: true, Fsync: "always", Policy: "noeviction", Memory: 1 << 20}
		change(&h)
		return Store(&h, nil)
	}
	configured := func(change func(*config.Config), environment ...string) []Finding {
		cfg := wiretest.Config(t, "")
		change(cfg)
		return Config(cfg, environment)
	}
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	source := func(state feed.PollState) []Finding { return Sources([]feed.Source{{Poll: state}}, now) }
	reloaded := func(last settings.Reload) []Finding {
		return Reload(last)
	}
	cfg := wiretest.Config(t, "store: {pool: 4096}\n")
	u := &url.URL{Scheme: "https", Host: "wire.example"}
	certificate := &http.Response{TLS: &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{NotAfter: now.Add(time.Hour)}}}}
	proxied := wiretest.Config(t, "fetch: {proxy: \"http://127.0.0.1:1\", allow_networks: [127.0.0.0/8]}\n")

	private := feed.Source{URL: "https://a.example/rss", Request: feed.Request{Password: "secret"}}

	var all []Finding
	for _, found := range [][]Finding{
		Store(&ops.Health{}, errors.New("refused")), Store(&ops.Health{}, nil),
		good(func(h *ops.Health) { h.Version = "6.0.16" }), good(func(h *ops.Health) { h.Role = "slave" }),
		good(func(h *ops.Health) { h.AOF = false }), good(func(h *ops.Health) { h.Fsync = "everysec" }),
		good(func(h *ops.Health) { h.SaveErrors = []string{"aof_last_write_status"} }),
		good(func(h *ops.Health) { h.Policy = "allkeys-lru" }), good(func(h *ops.Health) { h.Memory, h.MaxMemory = 85, 100 }),
		good(func(h *ops.Health) { h.Timeout = time.Minute }), good(func(h *ops.Health) { h.Refused = []string{"DUMP"} }),
		good(func(h *ops.Health) { h.Unseen = []string{"CONFIG GET timeout"} }), good(func(h *ops.Health) { h.Skew = -5 * time.Second }),
		FormerURLs([]string{"https://old.example"}),
		{examineDisk(100<<20, 10<<30)}, {examineFiles(1024, cfg)},
		(&access{changed: []string{"a"}}).findings("/data"), (&access{exposed: []string{"a"}}).findings("/data"),
		(&access{foreign: []string{"a"}}).findings("/data"), (&access{readable: []string{"a"}}).findings("/data"),
		configured(func(c *config.Config) { c.Fetch.AllowNetworks = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")} }),
		configured(func(c *config.Config) { c.Mail.Host, c.Mail.TLS = "mail.example.org", "none" }),
		configured(func(c *config.Config) { c.Community.Enabled, c.Community.Gravatars = true, true; c.Images.Cache = 0 }),
		configured(func(*config.Config) {}, "https_proxy=http://127.0.0.1:1"),
		Proxy(t.Context(), proxied), examineTLS(&url.URL{Scheme: "http"}, nil, now), examineTLS(u, certificate, now),
		source(feed.PollState{Errors: 1, ErrorClass: "dns", NextPoll: now}), source(feed.PollState{NextPoll: now.Add(-time.Hour)}),
		Community(&config.Community{Host: "talk.example"}, nil), Community(&config.Community{Enabled: true, Sources: []string{"https://gone.example/rss"}}, nil),
		Community(&config.Community{Enabled: true, Sources: []string{private.URL}}, []feed.Source{private}),
		reloaded(settings.Reload{Time: now, Problems: []string{"x"}}), reloaded(settings.Reload{Time: now, OK: true, Changes: []feed.SettingChange{{Key: "listen", Restart: true}}}),
		Address(t.Context(), "http://localhost:8080", nil), judgeAddress(u, "", nil, errors.New("no such host"), "proof"),
		judgeAddress(u, "", &http.Response{StatusCode: http.StatusFound}, nil, "proof"),
		judgeAddress(u, "", &http.Response{StatusCode: http.StatusBadGateway}, nil, "proof"),
		judgeAddress(u, "someone else", &http.Response{StatusCode: http.StatusOK}, nil, "proof"),
		{Mail("mail.example.org", errors.New("no"))}, {Bucket("https://s3.example.org/images", errors.New("no"))}, {Search(true, errors.New("no"))},
		NotReady("the store does not accept writes"), FeedFailed("production", errors.New("no")),
		Alone(context.Background(), cfg, nil, errors.New("connection refused")),
	} {
		bad := slices.DeleteFunc(found, func(f Finding) bool { return f.Level == LevelOK })
		if len(bad) == 0 {
			t.Errorf("nothing is found among case %d", len(all))
		}
		all = append(all, bad...)
	}
	cfg.DataDir += "/gone"
	all = append(all, Host(cfg)[0])
	return all
}

func TestDoctorIsDocumented(t *testing.T) {
	found := ailments(t)
	text, err := os.ReadFile("../../../docs/reference/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| check | level |")
	table, _, _ = strings.Cut(table, "\n\n")
	want := map[string]bool{}
	for _, f := range found {
		want[f.Check+": "+f.Why] = true
		if !strings.Contains(table, "| `"+f.Check+"` | "+f.Level+" |") || !strings.Contains(table, f.Why+" |") {
			t.Errorf("docs/reference/doctor.md has no line for %+v", f)
		}
	}
	if rows := strings.Count(table, "\n| `"); rows != len(want) {
		t.Errorf("docs/reference/doctor.md has %d findings, the test makes %d", rows, len(want))
	}
}

func TestMemoryOfTimelinesFollowsTheSettingOfRedis(t *testing.T) {
	for entries, want := range map[int]string{0: "", 128: "takes 52 KB", 512: "takes 6 KB"} {
		var got string
		for _, f := range Store(&ops.Health{Version: "7.0.15", Listpack: entries}, nil) {
			if f.Check == "redis-timelines" {
				got = f.What
			}
		}
		if !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("with %d: %q", entries, got)
		}
	}
}
