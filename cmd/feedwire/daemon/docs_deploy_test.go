//go:build !race

package daemon

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

var (
	variableName = regexp.MustCompile(`FEEDWIRE_[A-Z_]*[A-Z]`)
	ourCommand   = regexp.MustCompile(`(?m)(?:/usr/bin/feedwire |/usr/bin/feedwire", "|^ +args: \[)([a-z]+)`)
)

// The files below deploy name only options and commands that exist; what programs of others make of the files is tested in
// deploy/check.
func TestDeployNamesWhatExists(t *testing.T) {
	t.Parallel()
	options := wiretest.ReadFile(t, "docs/reference/configuration.md")
	root := new(cli.Program).Command()
	variables, commands := 0, 0
	err := filepath.WalkDir(filepath.Join("..", "..", "..", "deploy"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.IsDir() && (d.Name() == "secrets.d" || d.Name() == "check") {
				return fs.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, name := range variableName.FindAllString(string(text), -1) {
			variables++
			if !strings.Contains(options, "`"+name+"`") {
				t.Errorf("%s: there is no option %s", path, name)
			}
		}
		for _, m := range ourCommand.FindAllStringSubmatch(string(text), -1) {
			commands++
			if cmd, _, err := root.Find([]string{m[1]}); err != nil || cmd == root {
				t.Errorf("%s: there is no command feedwire %s", path, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if variables < 10 || commands < 4 {
		t.Errorf("only %d variables and %d commands were found: this test no longer finds them", variables, commands)
	}
}

// The configurations that packages and clusters start with are good, once their secrets are where they look for them.
func TestDeployedConfigurationsAreGood(t *testing.T) {
	t.Parallel()
	user(t, "127.0.0.1:1", t.TempDir())
	setenv(t, "FEEDWIRE_LISTEN", "")
	secrets := t.TempDir()
	for name, text := range map[string]string{"api-token": "a-token-of-the-cluster", "redis-url": "redis://:password@redis:6379/0"} {
		if err := os.WriteFile(filepath.Join(secrets, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"deploy/deb/feedwire.yaml", "deploy/kustomize/base/feedwire.yaml"} {
		config := filepath.Join(t.TempDir(), "feedwire.yaml")
		if err := os.WriteFile(config, []byte(strings.ReplaceAll(wiretest.ReadFile(t, path), "/run/secrets/feedwire", secrets)), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := must(t, "config", "check", config); out != "the configuration is valid\n" {
			t.Errorf("check of %s prints %q", path, out)
		}
	}
}
