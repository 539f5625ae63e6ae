package daemon

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// outputs holds what a command has written.
type outputs struct{ out, err string } // paths

// program returns feedwire as the person of a test runs it, with its output in files.
func program(t *testing.T) (*cli.Program, outputs) {
	t.Helper()
	dir := t.TempDir()
	term := outputs{filepath.Join(dir, "out"), filepath.Join(dir, "err")}
	p := &cli.Program{Environ: environ(t), Stdin: strings.NewReader(""), Serve: Serve}
	for path, w := range map[string]*io.Writer{term.out: &p.Stdout, term.err: &p.Stderr} {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		*w = f
	}
	return p, term
}

func written(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// feedwire runs a command line and gives its exit code and what it wrote.
func feedwire(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p, term := program(t)
	code = p.Run(t.Context(), args...)
	return code, written(t, term.out), written(t, term.err)
}

// must runs a command line that succeeds and says nothing on stderr.
func must(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := feedwire(t, args...)
	if code != cli.ExitOK || stderr != "" {
		t.Fatalf("feedwire %s: exit code %d, stderr %q", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// mustJSON is must with -o json, decoded.
func mustJSON[T any](t *testing.T, args ...string) (v T) {
	t.Helper()
	text := must(t, append(args, "-o", "json")...)
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("feedwire %s: %v in %s", strings.Join(args, " "), err, text)
	}
	return v
}

// fails runs a command line and checks its exit code, and that stderr, and nothing else, says what is wrong.
func fails(t *testing.T, code int, says string, args ...string) {
	t.Helper()
	got, stdout, stderr := feedwire(t, args...)
	if got != code || !strings.Contains(stderr, says) || stdout != "" {
		t.Errorf("feedwire %s: exit code %d with %q on stderr and %q on stdout; want %d with %q",
			strings.Join(args, " "), got, stderr, stdout, code, says)
	}
}

// user is the environment of a person whose daemon listens at an address and keeps its data in dir, where the commands
// look for it by themselves.
func user(t *testing.T, address, dir string) {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".local", "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(home, ".local", "state", "feedwire")); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(home, "none.yaml")
	if err := os.WriteFile(none, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	environments.Store(testName(t), []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "FEEDWIRE_CONFIG=" + none, "FEEDWIRE_LISTEN=" + address,
		"FEEDWIRE_HUB_ALLOW_NETWORKS=" + wiretest.Loopback,
	})
	t.Cleanup(func() { environments.Delete(testName(t)) })
}

// environments holds the environment of the person of each running test, by testName. Tests that run in parallel cannot use the
// environment of the process.
var environments sync.Map

func testName(t *testing.T) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return name
}

// environ returns the environment of the person of a test.
func environ(t *testing.T) []string {
	all, ok := environments.Load(testName(t))
	if !ok {
		return os.Environ()
	}
	return all.([]string)
}

// setenv changes the environment of the person of a test.
func setenv(t *testing.T, name, value string) {
	all := slices.DeleteFunc(slices.Clone(environ(t)), func(v string) bool { return strings.HasPrefix(v, name+"=") })
	environments.Store(testName(t), append(all, name+"="+value))
}

// startFor starts a daemon for a user, with a source of several unpublished posts.
func startFor(t *testing.T) (*daemon, *wiretest.Origin, feed.Source) {
	t.Helper()
	d := start(t, storetest.RedisAOF(t), "")
	user(t, strings.TrimPrefix(d.Base, "http://"), d.app.cfg().DataDir)
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(2)...)
	src := d.add(web.URL+"/feed.xml", nil)
	wiretest.Eventually(t, "articles", func() bool { return len(d.articles("")) == 2 })
	return d, web, src
}

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

// interrupted runs a command that does not end by itself until is says that it has done its work, and gives its exit code.
func interrupted(t *testing.T, is func(term outputs) bool, args ...string) (code int) {
	t.Helper()
	p, term := program(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- p.Run(ctx, args...) }()
	defer func() { // also when eventually gives up
		cancel()
		code = <-ended
	}()
	wiretest.Eventually(t, "done by feedwire "+strings.Join(args, " "), func() bool { return len(ended) > 0 || is(term) })
	return code
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
