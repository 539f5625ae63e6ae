package daemon

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
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
