package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// terminal is what commands have written. They write to the standard files of the process, so only one can be open at a
// time, and no test that opens one runs in parallel.
type terminal struct{ out, err string } // paths

// open makes files the standard ones until the test ends, or until the returned function is called.
func open(t *testing.T) (term terminal, done func()) {
	t.Helper()
	dir := t.TempDir()
	term = terminal{filepath.Join(dir, "out"), filepath.Join(dir, "err")}
	stdout, stderr := os.Stdout, os.Stderr
	var files []*os.File
	for _, path := range []string{term.out, term.err} {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	os.Stdout, os.Stderr = files[0], files[1]
	done = func() {
		os.Stdout, os.Stderr = stdout, stderr
		for _, f := range files {
			_ = f.Close() // the second time it is closed already
		}
	}
	t.Cleanup(done)
	return term, done
}

func written(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// cli runs a command line and gives its exit code and what it wrote.
func cli(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	term, done := open(t)
	defer done()
	code = run(t.Context(), args)
	return code, written(t, term.out), written(t, term.err)
}

// must runs a command line that succeeds and says nothing on stderr.
func must(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := cli(t, args...)
	if code != exitOK || stderr != "" {
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
	got, stdout, stderr := cli(t, args...)
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
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "FEEDWIRE_") {
			t.Setenv(name, "")
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_STATE_HOME": "", "STATE_DIRECTORY": "", "FEEDWIRE_CONFIG": none, "FEEDWIRE_LISTEN": address,
	} {
		t.Setenv(name, value)
	}
}

// startFor starts a daemon for a user, with a source of some posts that nobody has published.
func startFor(t *testing.T) (*daemon, *origin, feed.Source) {
	t.Helper()
	d := start(t, storetest.RedisAOF(t), "")
	user(t, strings.TrimPrefix(d.base, "http://"), d.app.cfg().DataDir)
	web := newOrigin(t)
	web.set("/feed.xml", posts(2)...)
	src := d.add(web.URL+"/feed.xml", nil)
	eventually(t, "articles", func() bool { return len(d.articles("")) == 2 })
	return d, web, src
}

func TestWrongUsageEndsWith2(t *testing.T) {
	user(t, "127.0.0.1:1", t.TempDir())
	for _, c := range []struct{ line, says string }{
		{"source list --bogus", "unknown flag: --bogus"},
		{"source list extra", `"extra"`},
		{"source list -o yaml", `output "yaml": use table or json`},
		{"source list --server", "flag needs an argument"},
		{"source add", "0 arguments, want 1: feedwire source add"},
		{"source show", "0 arguments, want 1: feedwire source show"},
		{"source poll a b", "2 arguments, want 1: feedwire source poll"},
		{"source poll --all a", `"a"`},
		{"article show", "0 arguments, want 1: feedwire article show UUID"},
		{"article publish", "0 arguments, want 1 or more: feedwire article publish UUID"},
		{"article list --days soon", "invalid argument"},
		{"signals tail extra", `"extra"`},
		{"config check a b", "accepts at most 1 arg(s), received 2"},
		{"config example extra", `"extra"`},
		{"healthcheck extra", `"extra"`},
		{"version extra", `"extra"`},
		{"serve extra", `"extra"`},
		{"serve --listen nowhere", "--listen: listen:"},
		{"demo extra", `"extra"`},
	} {
		t.Run(c.line, func(t *testing.T) { fails(t, exitUsage, c.says, strings.Fields(c.line)...) })
	}
}

func TestUnknownCommandsAreWrongUsage(t *testing.T) {
	for _, line := range []string{"bogus", "source bogus", "article bogus", "signals bogus", "config bogus", "completion fish bogus"} {
		words := strings.Fields(line)
		t.Run(line, func(t *testing.T) { fails(t, exitUsage, words[len(words)-1], words...) })
	}
}

func TestCommandsWithoutDaemon(t *testing.T) {
	dir := t.TempDir()
	user(t, "127.0.0.1:1", dir)
	fails(t, exitFailed, "no token in", "source", "list")
	fails(t, exitFailed, "start the daemon first", "signals", "tail")
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte("a-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"source list", "source add https://example.org/feed", "article list", "signals tail"} {
		fails(t, exitFailed, "no daemon answers at http://127.0.0.1:1", strings.Fields(line)...)
	}
	fails(t, exitFailed, "no daemon answers at http://127.0.0.1:2", "source", "list", "--server", "http://127.0.0.1:2/")
	fails(t, exitUnhealthy, "refused", "healthcheck")
	fails(t, exitUnhealthy, "refused", "healthcheck", "--ready")
}

func TestWrongTokenNamesTheWayOut(t *testing.T) {
	startFor(t)
	t.Setenv("FEEDWIRE_API_TOKEN", "not-the-token")
	for _, line := range []string{"source list", "article list", "source add https://example.org/feed", "signals tail"} {
		fails(t, exitFailed, "the file token in data_dir", strings.Fields(line)...)
	}
	must(t, "healthcheck") // it needs none
}

func TestSmallCommands(t *testing.T) {
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
	fails(t, exitUnhealthy, "503", "healthcheck", "--ready")
}

// interrupted runs a command that does not end by itself until is says that it has done its work, and gives its exit code.
func interrupted(t *testing.T, is func(term terminal) bool, args ...string) (code int) {
	t.Helper()
	term, done := open(t)
	defer done()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, args) }()
	defer func() { // also when eventually gives up
		cancel()
		code = <-ended
	}()
	eventually(t, "done by feedwire "+strings.Join(args, " "), func() bool { return len(ended) > 0 || is(term) })
	return code
}

func TestVersionTellsWhatTheProgramWasBuiltFrom(t *testing.T) {
	binary := buildBinary(t, "-ldflags", "-X main.version=v1.2.3 -X main.revision=0123456789ab -X main.date=2026-11-20T08:00:00Z")
	out, err := exec.CommandContext(t.Context(), binary, "version", "-o", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var got build
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	want := build{"v1.2.3", "0123456789ab", "2026-11-20T08:00:00Z", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if got != want {
		t.Errorf("version prints %+v, want %+v", got, want)
	}
	if out := must(t, "version"); !strings.HasPrefix(out, "feedwire ") || !strings.Contains(out, runtime.Version()) {
		t.Errorf("version prints %q", out)
	}
}

func TestEveryCommandHasAManPage(t *testing.T) {
	dir := t.TempDir()
	hasPage := func(cmd *cobra.Command) {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		if page, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(page), ".SH SYNOPSIS") {
			t.Errorf("%s: %v", name, err)
		}
	}
	code, out, stderr := cli(t, "man", dir)
	if code != exitOK || out+stderr != "" {
		t.Fatalf("feedwire man ends with %d and says %q", code, out+stderr)
	}
	root := newRoot()
	hasPage(root)
	for cmds := root.Commands(); len(cmds) > 0; cmds = cmds[1:] {
		if cmds[0].IsAvailableCommand() {
			hasPage(cmds[0])
			cmds = append(cmds, cmds[0].Commands()...)
		}
	}
}
