//go:build !race

package daemon

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

func TestWrongUsageEndsWith2(t *testing.T) {
	t.Parallel()
	user(t, "127.0.0.1:1", t.TempDir())
	for _, c := range []struct{ line, says string }{
		{"source list --bogus", "unknown flag: --bogus"},
		{"source list extra", `"extra"`},
		{"source list -o yaml", `invalid output format "yaml": use table or json`},
		{"source list --server", "flag needs an argument"},
		{"source add", "0 arguments, want 1: feedwire source add"},
		{"source show", "0 arguments, want 1: feedwire source show"},
		{"source poll a b", "2 arguments, want 1: feedwire source poll"},
		{"source poll --all a", `"a"`},
		{"article show", "0 arguments, want 1: feedwire article show UUID"},
		{"article publish", "0 arguments, want 1 or more: feedwire article publish UUID"},
		{"article list --days soon", "invalid argument"},
		{"signals tail extra", `"extra"`},
		{"config check a b", "2 arguments, want at most 1: feedwire config check"},
		{"config example extra", `"extra"`},
		{"healthcheck extra", `"extra"`},
		{"version extra", `"extra"`},
		{"serve extra", `"extra"`},
		{"serve --listen nowhere", "--listen: listen:"},
		{"demo extra", `"extra"`},
	} {
		t.Run(c.line, func(t *testing.T) { fails(t, cli.ExitUsage, c.says, strings.Fields(c.line)...) })
	}
}

func TestUnknownCommandsAreWrongUsage(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"bogus", "source bogus", "article bogus", "signals bogus", "config bogus", "completion fish bogus"} {
		words := strings.Fields(line)
		t.Run(line, func(t *testing.T) { fails(t, cli.ExitUsage, words[len(words)-1], words...) })
	}
}

func TestCommandsWithoutDaemon(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	user(t, "127.0.0.1:1", dir)
	fails(t, cli.ExitFailed, "no token in", "source", "list")
	fails(t, cli.ExitFailed, "start the daemon first", "signals", "tail")
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte("a-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"source list", "source add https://example.org/feed", "article list", "signals tail"} {
		fails(t, cli.ExitFailed, "cannot reach the daemon at http://127.0.0.1:1", strings.Fields(line)...)
	}
	fails(t, cli.ExitFailed, "cannot reach the daemon at http://127.0.0.1:2", "source", "list", "--server", "http://127.0.0.1:2/")
	fails(t, cli.ExitUnhealthy, "refused", "healthcheck")
	fails(t, cli.ExitUnhealthy, "refused", "healthcheck", "--ready")
}

func TestWrongTokenNamesTheWayOut(t *testing.T) {
	t.Parallel()
	startFor(t)
	setenv(t, "FEEDWIRE_API_TOKEN", "not-the-token-of-a-daemon")
	for _, line := range []string{"source list", "article list", "source add https://example.org/feed", "signals tail"} {
		fails(t, cli.ExitFailed, "the file token in data_dir", strings.Fields(line)...)
	}
	must(t, "healthcheck") // it needs none
}

func TestSmallCommands(t *testing.T) {
	t.Parallel()
	d, _, _ := startFor(t)
	if out := must(t, "healthcheck") + must(t, "healthcheck", "--ready"); out != "healthy\nhealthy\n" {
		t.Errorf("healthcheck prints %q", out)
	}
	for shell, says := range map[string]string{"bash": "__start_feedwire", "zsh": "#compdef feedwire", "fish": "complete -c feedwire"} {
		if out := must(t, "completion", shell); !strings.Contains(out, says) {
			t.Errorf("completion %s prints no %q", shell, says)
		}
	}
	for _, args := range [][]string{{}, {"--help"}, {"source", "--help"}} {
		if out := must(t, args...); !strings.Contains(out, "Usage:") {
			t.Errorf("feedwire %v prints %q", args, out)
		}
	}
	d.app.draining.Store(true)
	fails(t, cli.ExitUnhealthy, "503", "healthcheck", "--ready")
}

func TestVersionTellsWhatTheProgramWasBuiltFrom(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), wiretest.BuildBinary(t), "version", "-o", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var got setup.Build
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	want := setup.Build{
		Version: wiretest.Version, Revision: wiretest.Revision, Date: wiretest.Date, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if got != want {
		t.Errorf("version prints %+v, want %+v", got, want)
	}
	if out := must(t, "version"); !strings.HasPrefix(out, "feedwire ") || !strings.Contains(out, runtime.Version()) {
		t.Errorf("version prints %q", out)
	}
}

func TestEveryCommandHasAManPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hasPage := func(cmd *cobra.Command) {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		if page, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(page), ".SH SYNOPSIS") {
			t.Errorf("%s: %v", name, err)
		}
	}
	code, out, stderr := feedwire(t, "man", dir)
	if code != cli.ExitOK || out+stderr != "" {
		t.Fatalf("feedwire man ends with %d and says %q", code, out+stderr)
	}
	root := new(cli.Program).Command()
	hasPage(root)
	for cmds := root.Commands(); len(cmds) > 0; cmds = cmds[1:] {
		if cmds[0].IsAvailableCommand() {
			hasPage(cmds[0])
			cmds = append(cmds, cmds[0].Commands()...)
		}
	}
}
