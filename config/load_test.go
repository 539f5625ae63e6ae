package config_test

import (
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store/feed"
)

// home is an environment with the one variable that a configuration without data_dir needs.
var home = []string{"HOME=/home/wire"}

// write puts a file with the given content into a fresh directory and returns its path.
func write(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "feedwire.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// load reads a file with the given content, the environment and the command line.
func load(t testing.TB, content string, env []string, args ...string) (*config.Config, error) {
	t.Helper()
	flags := pflag.NewFlagSet("feedwire", pflag.ContinueOnError)
	config.Flags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return config.Load(write(t, content), append(env, home...), flags)
}

func mustLoad(t testing.TB, content string, env []string, args ...string) *config.Config {
	t.Helper()
	c, err := load(t, content, env, args...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLoadTakesFlagBeforeEnvironmentBeforeFileBeforeDefault(t *testing.T) {
	const file = "fetch:\n  workers: 3\n"
	env := []string{"FEEDWIRE_FETCH_WORKERS=5"}
	tests := []struct {
		name   string
		file   string
		env    []string
		args   []string
		want   int
		origin string
	}{
		{"default", "", nil, nil, 16, "default"},
		{"file", file, nil, nil, 3, "feedwire.yaml:2"},
		{"environment", file, env, nil, 5, "env FEEDWIRE_FETCH_WORKERS"},
		{"flag", file, env, []string{"--fetch-workers", "7"}, 7, "flag --fetch-workers"},
		{"flag alone", "", nil, []string{"--fetch-workers=7"}, 7, "flag --fetch-workers"},
		{"empty variable", file, []string{"FEEDWIRE_FETCH_WORKERS="}, nil, 3, "feedwire.yaml:2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustLoad(t, tt.file, tt.env, tt.args...)
			if c.Fetch.Workers != tt.want {
				t.Errorf("got %d workers, want %d", c.Fetch.Workers, tt.want)
			}
			if line := shownLine(t, c, "fetch.workers:"); !strings.HasSuffix(line, tt.origin) {
				t.Errorf("got %q, want it to end with %q", line, tt.origin)
			}
		})
	}
}

// shownLine is the line of shown that begins with key.
func shownLine(t *testing.T, c *config.Config, key string) string {
	t.Helper()
	for line := range strings.Lines(shown(t, c)) {
		if strings.HasPrefix(line, key) {
			return strings.TrimSpace(line)
		}
	}
	t.Fatalf("%s is not shown", key)
	return ""
}

func shown(t *testing.T, c *config.Config) string {
	t.Helper()
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range c.Settings() {
		fmt.Fprintf(table, "%s:\t%s\t# %s\n", s.Key, s.Value, s.Origin)
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLoadReadsEveryKindOfValue(t *testing.T) {
	c := mustLoad(t, `
listen: :8080
insecure_no_auth: true
log: {level: warn}
store:
  redis: rediss://user:pass@redis.example.org:6380/2
  timeout: 1500ms
fetch:
  max_bytes: 512KiB
  allow_networks: [10.0.0.0/8, 192.168.1.20, "fd00::/8"]
sources:
  - https://Example.org:443
  - url: http://news.example.org/feed#top
    feeds: [production, partner]
    publish: auto
    interval: 5m
feeds:
  production:
  partner:
    title: For partners
    sources: "*"
    window: 36h
    impressions: {retire_after: 0, counted: []}
    auth: {username: partner, password: "0123"}
`, nil)

	prefixes := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.168.1.20/32"), netip.MustParsePrefix("fd00::/8"),
	}
	if got := c.Fetch.AllowNetworks; !cmp.Equal(got, prefixes, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })) {
		t.Errorf("got networks %v, want %v", got, prefixes)
	}
	if c.Log.Level != slog.LevelWarn || c.Store.Timeout != 1500*time.Millisecond || c.Fetch.MaxBytes != 512<<10 {
		t.Errorf("got %v, %v, %v", c.Log.Level, c.Store.Timeout, c.Fetch.MaxBytes)
	}
	if got, want := c.Store.Redis.Reveal(), "rediss://user:pass@redis.example.org:6380/2"; got != want {
		t.Errorf("got redis %q, want %q", got, want)
	}

	sources := []feed.Source{
		{
			ID: feed.SourceID("https://example.org/"), URL: "https://example.org/",
			Feeds: []string{"production"}, Publish: feed.PublishManual, Timestamp: feed.TimestampSource,
		},
		{
			ID: feed.SourceID("http://news.example.org/feed"), URL: "http://news.example.org/feed",
			Feeds: []string{"production", "partner"}, Publish: feed.PublishAuto, Interval: 5 * time.Minute,
			Timestamp: feed.TimestampSource,
		},
	}
	if diff := cmp.Diff(sources, c.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}

	feeds := []feed.Outgoing{
		{
			Type: "production", Profile: "instant-articles", Title: "feedwire production", Link: "http://localhost:8080",
			Description: "Articles selected by feedwire for production.", Sources: []string{}, Window: feed.DefaultWindow,
			RetireAfter: feed.ImportAfter, Counted: []string{"facebookexternalhit", "Facebot", "meta-externalagent"}, MaxItems: feed.DefaultItems, Top: 10,
		},
		{
			Type: "partner", Profile: "instant-articles", Title: "For partners", Link: "http://localhost:8080",
			Description: "Articles selected by feedwire for partner.", Sources: []string{"*"}, Window: 36 * time.Hour,
			Counted: []string{}, MaxItems: feed.DefaultItems, Top: 10, Username: "partner", Password: "0123",
		},
	}
	if diff := cmp.Diff(feeds, c.Outgoing()); diff != "" {
		t.Errorf("feeds (-want +got):\n%s", diff)
	}
}

func TestLoadWithoutAnyFileGivesTwoFeeds(t *testing.T) {
	c, err := config.Load("", home, nil)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, f := range c.Outgoing() {
		types = append(types, f.Type)
	}
	if diff := cmp.Diff([]string{"production", "development"}, types); diff != "" {
		t.Errorf("feeds (-want +got):\n%s", diff)
	}
	if c.Listen != "127.0.0.1:8080" || c.PublicURL != "http://127.0.0.1:8080" || len(c.Sources) != 0 {
		t.Errorf("got listen %q, public URL %q and %d sources", c.Listen, c.PublicURL, len(c.Sources))
	}
}

func TestLoadFindsTheFileByVariable(t *testing.T) {
	path := write(t, "listen: 127.0.0.1:9000")
	c, err := config.Load("", append([]string{"FEEDWIRE_CONFIG=" + path}, home...), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:9000" {
		t.Errorf("got listen %q", c.Listen)
	}
}

func TestLoadReportsAFileThatIsNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.yaml")
	_, err := config.Load(path, home, nil)
	problems := config.Problems(err)
	if len(problems) != 1 || problems[0].File != path || !strings.Contains(problems[0].Reason, "no such file") {
		t.Errorf("got %+v", problems)
	}
}

func TestLoadChoosesTheDataDirectory(t *testing.T) {
	tests := []struct {
		name string
		env  []string
		want string
	}{
		{"systemd", []string{"STATE_DIRECTORY=/var/lib/feedwire:/var/lib/more", "HOME=/root"}, "/var/lib/feedwire"},
		{"XDG", []string{"XDG_STATE_HOME=/x", "HOME=/home/wire"}, "/x/feedwire"},
		{"relative XDG does not count", []string{"XDG_STATE_HOME=x", "HOME=/home/wire"}, "/home/wire/.local/state/feedwire"},
		{"home", []string{"HOME=/home/wire"}, "/home/wire/.local/state/feedwire"},
		{"set", []string{"STATE_DIRECTORY=/var/lib/feedwire", "FEEDWIRE_DATA_DIR=/data"}, "/data"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := config.Load("", tt.env, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.DataDir != tt.want {
				t.Errorf("got %q, want %q", c.DataDir, tt.want)
			}
		})
	}
	if _, err := config.Load("", nil, nil); len(config.Problems(err)) != 1 {
		t.Errorf("without any home, got %v, want one problem", err)
	}
}

func TestLoadDerivesThePublicURL(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080",
		":8080":          "http://localhost:8080",
		"0.0.0.0:80":     "http://localhost:80",
		"[::]:80":        "http://localhost:80",
		"[::1]:80":       "http://[::1]:80",
	} {
		c := mustLoad(t, "insecure_no_auth: true", []string{"FEEDWIRE_LISTEN=" + listen})
		if c.PublicURL != want {
			t.Errorf("listen %s: got %q, want %q", listen, c.PublicURL, want)
		}
	}
	if c := mustLoad(t, "public_url: https://wire.example.org/base/", nil); c.PublicURL != "https://wire.example.org/base" {
		t.Errorf("got %q", c.PublicURL)
	}
}

func TestLoadTakesListsFromEnvironmentAndFlags(t *testing.T) {
	c := mustLoad(t, "", []string{"FEEDWIRE_FETCH_ALLOW_NETWORKS=10.0.0.0/8, 127.0.0.1,"})
	if len(c.Fetch.AllowNetworks) != 2 {
		t.Errorf("from the environment, got %v", c.Fetch.AllowNetworks)
	}
	c = mustLoad(t, "", nil, "--fetch-allow-networks", "10.0.0.0/8", "--fetch-allow-networks=127.0.0.1,::1")
	if len(c.Fetch.AllowNetworks) != 3 {
		t.Errorf("from flags, got %v", c.Fetch.AllowNetworks)
	}
}

func TestLoadTakesSourcesFromEnvironmentInPlaceOfTheFile(t *testing.T) {
	c := mustLoad(t, "sources: [{url: https://a.example.org, interval: 1m}]",
		[]string{"FEEDWIRE_SOURCES=https://b.example.org/1,https://b.example.org/2"})
	if len(c.Sources) != 2 || c.Sources[0].URL != "https://b.example.org/1" || c.Sources[0].ID == "" {
		t.Errorf("got %+v", c.Sources)
	}
	if line := shownLine(t, c, "sources[0].url:"); !strings.HasSuffix(line, "# env FEEDWIRE_SOURCES") {
		t.Errorf("got %q", line)
	}
	if line := shownLine(t, c, "sources[0].interval:"); !strings.HasSuffix(line, "# default") {
		t.Errorf("got %q", line)
	}
}

func TestLoadKeepsThePasswordOfAFeedThatTheEnvironmentNames(t *testing.T) {
	c := mustLoad(t, "feeds: {partner: {auth: {username: u, password: p}}, other: {}}",
		[]string{"FEEDWIRE_FEEDS=partner,more"})
	feeds := c.Outgoing()
	if len(feeds) != 2 || feeds[0].Password != "p" || feeds[1].Type != "more" {
		t.Errorf("got %+v", feeds)
	}
}

func TestLoadIgnoresTheVariablesOfKubernetes(t *testing.T) {
	mustLoad(t, "", []string{
		"FEEDWIRE_SERVICE_HOST=10.0.0.1", "FEEDWIRE_SERVICE_PORT=80", "FEEDWIRE_SERVICE_PORT_HTTP=80",
		"FEEDWIRE_PORT=tcp://10.0.0.1:80", "FEEDWIRE_PORT_80_TCP=tcp://10.0.0.1:80", "FEEDWIRE_PORT_80_TCP_ADDR=10.0.0.1",
		"FEEDWIRE_REDIS_SERVICE_HOST=10.0.0.2", "FEEDWIRE_REDIS_PORT_6379_TCP_PROTO=tcp",
	})
	if _, err := load(t, "", []string{"FEEDWIRE_PORT=8080"}); len(config.Problems(err)) != 1 {
		t.Errorf("FEEDWIRE_PORT=8080: got %v, want one problem", err)
	}
}
