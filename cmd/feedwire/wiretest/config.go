package wiretest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/config"
)

// Config writes and loads a configuration that allows loopback.
func Config(t *testing.T, yaml string) *config.Config {
	t.Helper()
	return Quick(t, Loader(t, yaml))
}

// Quick loads a configuration with passwords that cost little to compare.
func Quick(t *testing.T, load func() (*config.Config, error)) *config.Config {
	t.Helper()
	cfg, err := load()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Auth.Rounds = 10 // under the race detector the usual ones take seconds
	return cfg
}

// Loader writes such a configuration and returns what loads it.
func Loader(t *testing.T, yaml string) func() (*config.Config, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "feedwire.yaml")
	text := fmt.Sprintf("data_dir: %s\nlisten: 127.0.0.1:0\n%s", filepath.Join(dir, "data"), yaml)
	if !strings.Contains(yaml, "allow_networks") {
		text += "\nfetch:\n  allow_networks: [127.0.0.0/8]\n  host_delay: 0s\n  min_interval: 0s\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var env []string
	if !strings.Contains(yaml, "hub: {allow_networks") {
		env = []string{"FEEDWIRE_HUB_ALLOW_NETWORKS=" + Loopback}
	}
	if !strings.Contains(yaml, "search: {") {
		env = append(env, "FEEDWIRE_SEARCH_ENABLED=false") // an index takes longer to build than most tests
	}
	return func() (*config.Config, error) { return config.Load(path, env, nil) }
}
