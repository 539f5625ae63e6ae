//go:build !race

package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
)

func TestConfigCheckReportsEveryProblemWithItsPlace(t *testing.T) {
	t.Parallel()
	user(t, "127.0.0.1:1", t.TempDir())
	path := filepath.Join("testdata", "bad.yaml")
	want := []string{
		path + `:2:1: listn: there is no such key; did you mean listen?`,
		path + `:4:12: fetch.timeout: "banana" is not a duration; write it like 30s, 5m or 1h30m`,
		path + `:6:10: sources[0].url:`,
		`FEEDWIRE_STORE_POOL: store.pool:`,
	}
	setenv(t, "FEEDWIRE_STORE_POOL", "many")
	for _, args := range [][]string{{"config", "check", path}, {"config", "check", "--config", path}, {"serve", "--config", path}} {
		code, stdout, stderr := feedwire(t, args...)
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		if code != cli.ExitUsage || stdout != "" || !slices.EqualFunc(lines, want, strings.HasPrefix) {
			t.Errorf("feedwire %v: exit code %d with %q; want %d with lines that begin %q", args, code, lines, cli.ExitUsage, want)
		}
	}
	setenv(t, "FEEDWIRE_STORE_POOL", "")
	fails(t, cli.ExitUsage, "no such file", "config", "check", filepath.Join(t.TempDir(), "missing.yaml"))
}

func TestConfigExampleIsGood(t *testing.T) {
	t.Parallel()
	user(t, "127.0.0.1:1", t.TempDir())
	path := filepath.Join(t.TempDir(), "feedwire.yaml")
	if err := os.WriteFile(path, []byte(must(t, "config", "example")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := must(t, "config", "check", path); out != "the configuration is valid\n" {
		t.Errorf("check of the example prints %q", out)
	}
}

func TestConfigShowTellsOriginsAndMasksSecrets(t *testing.T) {
	t.Parallel()
	user(t, "127.0.0.1:1", t.TempDir())
	path := filepath.Join("testdata", "secrets.yaml")
	setenv(t, "FEEDWIRE_LISTEN", "") // the file has one
	setenv(t, "FEEDWIRE_FETCH_WORKERS", "5")
	for _, line := range []string{"config show", "config show --origin"} {
		if out := must(t, append(strings.Fields(line), "--config", path)...); strings.Contains(out, "hush") {
			t.Errorf("feedwire %s shows a secret:\n%s", line, out)
		}
	}
	out := must(t, "config", "show", "--origin", "--config", path, "--fetch-timeout", "7s")
	table(t, out,
		[]string{"listen:", "127.0.0.1:8081", "# " + path + ":1"},
		[]string{"api.token:", "••••", "# " + path + ":3"},
		[]string{"store.redis:", "redis://••••@127.0.0.1:6379/0", "# " + path + ":5"},
		[]string{"store.pool:", "32", "# default"},
		[]string{"fetch.timeout:", "7s", "# flag --fetch-timeout"},
		[]string{"fetch.workers:", "5", "# env FEEDWIRE_FETCH_WORKERS"},
		[]string{"feeds.production.auth.password:", "••••", "# " + path + ":10"})
}
