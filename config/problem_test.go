package config_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/config"
)

var update = flag.Bool("update", false, "rewrite testdata/*.want, example.yaml and docs/reference/configuration.md")

// golden compares got with the file at path, or writes it there.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant, run go test ./config -update:\n%s", path, diff)
	}
}

func TestLoadShowsWhatIsInForce(t *testing.T) {
	for _, path := range files(t, "testdata/good-*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c, err := config.Load(path, home, nil)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, path+".want", shown(t, c))
		})
	}
}

func TestLoadReportsEveryProblemWithItsPlace(t *testing.T) {
	for _, path := range files(t, "testdata/bad-*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			_, err := config.Load(path, home, nil)
			var b strings.Builder
			for _, p := range config.Problems(err) {
				if p.Hint == "" || p.Reason == "" || p.File != path {
					t.Errorf("a problem lacks reason, way out or file: %+v", p)
				}
				fmt.Fprintln(&b, p)
			}
			golden(t, path+".want", b.String())
		})
	}
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	return paths
}

func TestLoadReportsFileEnvironmentAndFlagsTogether(t *testing.T) {
	_, err := load(t, "fetch: {workers: many}", []string{"FEEDWIRE_STORE_REDDIS=redis://x", "FEEDWIRE_LOG_LEVEL=loud"},
		"--fetch-timeout", "10x")
	var got []string
	for _, p := range config.Problems(fmt.Errorf("start: %w", err)) {
		got = append(got, fmt.Sprintf("%s %d:%d %s | %s", filepath.Base(p.File), p.Line, p.Column, p.Key, p.Hint))
	}
	want := []string{
		"feedwire.yaml 1:18 fetch.workers | use 1 to 1024",
		"FEEDWIRE_LOG_LEVEL 0:0 log.level | use one of debug, error, info, warn",
		"FEEDWIRE_STORE_REDDIS 0:0  | did you mean FEEDWIRE_STORE_REDIS?",
		"--fetch-timeout 0:0 fetch.timeout | write it like 30s, 5m or 1h30m",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestProblemsOfAnotherErrorAreNone(t *testing.T) {
	if got := config.Problems(errors.New("x")); got != nil {
		t.Errorf("got %v", got)
	}
	if got := config.Problems(nil); got != nil {
		t.Errorf("got %v", got)
	}
}

// Each option refuses what it cannot use, and says so in words that fit.
func TestLoadRefusesBadValues(t *testing.T) {
	tests := []struct{ key, text, reason string }{
		{"listen", "8080", "not host:port"},
		{"auth.proxy_header", "X User", "not the name of a header field"},
		{"auth.proxy_networks", "10.0.0.1/8", "bits beyond its mask"},
		{"auth.proxy_role", "king", "not one of the possible values"},
		{"people.sign_up", "everybody", "not one of the possible values"},
		{"people.accounts_per_day", "0", "out of range"},
		{"audit.keep", "1h", "out of range"},
		{"listen", "localhost:http", "no port number"},
		{"listen", "127.0.0.1:70000", "no port number"},
		{"listen", "a b:80", "not host:port"},
		{"listen", "http://x:80", "not host:port"},
		{"public_url", "wire.example.org", "not an absolute"},
		{"public_url", "ftp://example.org", "not an absolute"},
		{"public_url", "https://user:secret@example.org", "user name or password"},
		{"public_url", "https://example.org/?a=b", "query"},
		{"data_dir", "/a\nb", "control character"},
		{"community.host", "https://talk.example.org", "not a host name"},
		{"community.host", "talk.example.org:8080", "not a host name"},
		{"community.host", "192.0.2.1", "not a host name"},
		{"community.host", "127.0.0.1", "not a host name"},
		{"mail.host", "smtp://mail.example.org", "not a host name"},
		{"mail.host", "192.0.2.1", "needs a sender"},
		{"mail.from", "Harbour Talk", "not a mail address"},
		{"mail.tls", "ssl", "not one of"},
		{"community.name", strings.Repeat("a", 41), "more than 40 characters"},
		{"community.sources", "https://a.example/rss,https://a.example/rss", "appears twice"},
		{"community.words", "casino,--", `"--" is not a word`},
		{"community.words", strings.TrimSuffix(strings.Repeat("a,", 1001), ","), "1001 items are too many"},
		{"community.domains", "spam.example,https://b.example", `"https://b.example" is not a domain`},
		{"insecure_no_auth", "yes", "not one of"},
		{"api.token", "two words", "spaces"},
		{"api.token", "short", "fewer than 16 characters"},
		{"api.token", "abcabcabcabcabcabc", "fewer than 5 different characters"},
		{"api.token", "Password1234567890!", "a common password"},
		{"api.token_file", "/does/not/exist", "no such file"},
		{"log.level", "verbose", "not one of"},
		{"log.format", "xml", "not one of"},
		{"store.redis", "localhost:6379", "scheme"},
		{"store.redis", "http://localhost:6379", "scheme"},
		{"store.redis", "redis://", "names no host"},
		{"store.redis", "redis://localhost/zero", "number of a database"},
		{"store.redis", "redis://localhost/0?pool=3", "query"},
		{"store.redis", "redis://:pa%ss@localhost", "cannot be read"},
		{"store.redis", "unix://run/redis.sock", "absolute path"},
		{"store.redis", "redis+sentinel://h1,h2", "does not name the master"},
		{"store.prefix", "a{b}", "cannot begin a key"},
		{"store.prefix", "{}:", "cannot begin a key"},
		{"store.prefix", "{feed", "cannot begin a key"},
		{"store.pool", "0", "out of range"},
		{"store.pool", "1e3", "not a whole number"},
		{"store.timeout", "10x", "not a duration"},
		{"store.timeout", "30", "not a duration"},
		{"store.timeout", "-1s", "out of range"},
		{"store.embedded", "yes", "not one of"},
		{"fetch.contact", "nobody", "neither a web nor a mail address"},
		{"fetch.contact", "Bot <bot@example.org>", "neither a web nor a mail address"},
		{"fetch.timeout", "1h", "out of range"},
		{"fetch.interval", "100ms", "out of range"},
		{"fetch.max_bytes", "8MB", "not a size"},
		{"fetch.max_bytes", "8.5MiB", "not a size"},
		{"fetch.max_bytes", "99999999999999999999", "not a size"},
		{"fetch.max_bytes", "4000000000GiB", "out of range"},
		{"fetch.max_bytes", "12", "out of range"},
		{"fetch.max_redirects", "-1", "out of range"},
		{"fetch.allow_networks", "10.0.0.1/8", "bits beyond its mask"},
		{"fetch.allow_networks", "10.0.0.0/33", "not a network"},
		{"fetch.allow_networks", "::ffff:10.0.0.0/104", "not a network"},
		{"fetch.allow_networks", "fe80::1%eth0", "not a network"},
		{"fetch.allow_networks", "intranet", "not a network"},
		{"housekeeping.expire", "17 * * *", "not a cron spec"},
		{"housekeeping.expire", "TZ=UTC", "time zone"},
		{"housekeeping.expire", "CRON_TZ=Europe/Berlin 17 * * * *", "time zone"},
		{"housekeeping.expire", "@every -5m", "not an interval"},
		{"housekeeping.expire", "@every 10ms", "not an interval"},
		{"housekeeping.expire", "@every soon", "not an interval"},
		{"housekeeping.expire", "@sometimes", "not a cron spec"},
		{"housekeeping.trim", "0 0 31 2 *", "never comes up"},
		{"housekeeping.trim", "*/0 * * * *", "not a cron spec"},
		{"signals.keep", "0s", "out of range"},
		{"sources", "file:///etc/passwd", "http"},
		{"feeds", "Production", "cannot be the name of a feed"},
		{"feeds", "a,a", "appears twice"},
	}
	for _, tt := range tests {
		t.Run(tt.key+"="+tt.text, func(t *testing.T) {
			name := "FEEDWIRE_" + strings.ToUpper(strings.ReplaceAll(tt.key, ".", "_"))
			_, err := load(t, "", []string{name + "=" + tt.text})
			problems := config.Problems(err)
			if len(problems) != 1 || problems[0].Key != tt.key || problems[0].File != name {
				t.Fatalf("got %+v, want one problem of %s", problems, tt.key)
			}
			if !strings.Contains(problems[0].Reason, tt.reason) || problems[0].Hint == "" {
				t.Errorf("got reason %q and hint %q, want a reason with %q", problems[0].Reason, problems[0].Hint, tt.reason)
			}
		})
	}
}

func TestLoadAcceptsGoodValues(t *testing.T) {
	for key, texts := range map[string][]string{
		"listen": {"localhost:0", "[::1]:8080", "127.0.0.2:80"},
		"store.redis": {
			"redis://localhost", "redis://h:1/15", "redis://[::1]:6379", "rediss://u:p%40@h:6380", "unix:///run/redis.sock",
			"redis+sentinel://:p@h1:26379,h2/main/2?sentinel_password=q", "redis+cluster://h1,h2",
		},
		"store.prefix":         {"news:", "{feedwire}:", "{a-1}"},
		"fetch.max_bytes":      {"1048576", "1KiB", "256MiB"},
		"fetch.contact":        {"bot@example.org", "https://example.org/bot"},
		"fetch.allow_networks": {"127.0.0.1", "::1", "0.0.0.0/0", "10.0.0.0/8,fd00::/8"},
		"housekeeping.expire":  {"0 0 29 2 *", "@hourly", "@every 10m", "*/5 1-3 * JAN MON-FRI"},
		"fetch.interval":       {"1s", "720h"},
		"insecure_no_auth":     {"true", "false"},
	} {
		for _, text := range texts {
			mustLoad(t, "", []string{"FEEDWIRE_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_")) + "=" + text})
		}
	}
}

func TestLoadRefusesAPublicAddressWithoutSignIn(t *testing.T) {
	tests := []struct {
		name   string
		listen string
		args   []string
		ok     bool
	}{
		{"loopback", "127.0.0.1:8080", nil, true},
		{"localhost", "localhost:8080", nil, true},
		{"every address", ":8080", nil, false},
		{"every IPv4 address", "0.0.0.0:8080", nil, false},
		{"a private address", "192.168.1.1:8080", nil, false},
		{"a name", "wire.example.org:8080", nil, false},
		{"mapped loopback", "[::ffff:127.0.0.1]:8080", nil, true},
		{"with a token", ":8080", []string{"--api-token=a-token-of-the-tests"}, true},
		{"when told", ":8080", []string{"--insecure-no-auth"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, "listen: \""+tt.listen+"\"", nil, tt.args...)
			if problems := config.Problems(err); (len(problems) == 0) != tt.ok {
				t.Errorf("got %v, want accepted: %v", err, tt.ok)
			} else if !tt.ok && (problems[0].Line != 1 || !strings.Contains(problems[0].Hint, "insecure_no_auth")) {
				t.Errorf("got %+v", problems[0])
			}
		})
	}
}

// However a file is made, reading it ends soon and harms nothing.
func TestLoadBoundsTheFile(t *testing.T) {
	tests := []struct{ name, file, reason string }{
		{"too large", strings.Repeat("# more\n", 1<<18), "larger than 1MiB"},
		{"flow nested", "a: " + strings.Repeat("[", 1<<15), "nested too deeply"},
		{"maps nested", strings.Repeat("{a: ", 1<<15), "nested too deeply"},
		{"lists nested", strings.Repeat("- ", 1<<15), "nested too deeply"},
		{"tags in a row", "a: " + strings.Repeat("!x ", 1<<15), "nested too deeply"},
		{"keys", strings.Repeat("a:\n", 1<<15), "more than 20000 keys"},
		{"not UTF-8", "listen: \xff", "not UTF-8"},
		{"two documents", "fetch: {}\n---\nstore: {}", "second document"},
		{"a control character", "listen: \"a\\u0000b\"", "control character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.file, nil)
			problems := config.Problems(err)
			if len(problems) != 1 || !strings.Contains(problems[0].Reason, tt.reason) {
				t.Errorf("got %.500v, want one problem with %q", err, tt.reason)
			}
		})
	}
}
