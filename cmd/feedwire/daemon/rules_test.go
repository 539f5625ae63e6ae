//go:build !race

package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
)

func TestConfigCheckReadsRulesFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.json", `{"rules": [{"class": "H2Rule", "selector": "div.title"}]}`)
	odd := write("odd.json", `{"rules": [{"class": "NoSuchRule", "selector": "div"}]}`)
	bad := write("bad.json", `{"rules": [`)
	for _, tt := range []struct {
		feed, source string
		code         int
		says         string
	}{
		{good, good, cli.ExitOK, ""},
		{good, odd, cli.ExitOK, "warning: " + odd + ": "},
		{bad, good, cli.ExitFailed, "feeds.production.rules: " + bad + ": "},
		{good, filepath.Join(dir, "none.json"), cli.ExitFailed, "no such file"},
	} {
		path := write("feedwire.yaml", fmt.Sprintf("data_dir: %s\nfeeds:\n  production:\n    rules: %s\nsources:\n  - url: https://a.example/feed\n    rules: %s\n",
			dir, tt.feed, tt.source))
		code, _, stderr := feedwire(t, "config", "check", path)
		if code != tt.code || !strings.Contains(stderr, tt.says) || tt.says == "" && stderr != "" {
			t.Errorf("rules %s and %s: exit code %d, %q; want %d with %q", tt.feed, tt.source, code, stderr, tt.code, tt.says)
		}
	}
}
