package wiretest

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
)

// Process is the built program, run and killed by a test.
type Process struct {
	T       *testing.T
	Binary  string
	Config  string
	Address string
	Cmd     *exec.Cmd
	Log     *Logbook
}

// Token is the API token of every Process.
const Token = "a-token-for-the-kill-test"

// BuildProgram builds the program and writes its configuration. more is YAML that follows the settings for tests.
func BuildProgram(t *testing.T, more string) *Process {
	t.Helper()
	return NewProcess(t, BuildBinary(t), more)
}

// builds holds the paths of the built programs by their keys. TestMain removes them by RemoveBuilds.
var builds struct {
	sync.Mutex
	dir   string
	paths map[string]string
}

// The version, revision and date of the built programs.
const (
	Version  = "v1.2.3"
	Revision = "0123456789ab"
	Date     = "2026-11-20T08:00:00Z"
)

// setupPath is the package whose variables the linker sets.
const setupPath = "github.com/feedwire/feedwire/cmd/feedwire/setup"

// BuildBinary builds the program as make build does, without the race detector, once per test binary and tags.
func BuildBinary(tb testing.TB, tags ...string) string {
	tb.Helper()
	list := strings.Join(tags, ",")
	return buildBinary(tb, list, "-tags", list)
}

// sharedBuilds is the environment variable with a directory whose programs several test binaries share. make test sets it.
const sharedBuilds = "WIRETEST_BUILDS"

// buildBinary builds the program with more flags, once for each key.
func buildBinary(tb testing.TB, key string, more ...string) string {
	tb.Helper()
	builds.Lock()
	defer builds.Unlock()
	if path, ok := builds.paths[key]; ok {
		return path
	}
	dir := os.Getenv(sharedBuilds)
	if dir == "" {
		if builds.dir == "" {
			var err error
			if builds.dir, err = os.MkdirTemp("", "feedwire"); err != nil {
				tb.Fatal(err)
			}
		}
		dir = builds.dir
	}
	path := filepath.Join(dir, "feedwire-"+strings.ReplaceAll(key, " ", "-"))
	buildOnce(tb, path, more)
	if builds.paths == nil {
		builds.paths = make(map[string]string)
	}
	builds.paths[key] = path
	return path
}

// buildOnce builds the program unless another process has done so.
func buildOnce(tb testing.TB, path string, more []string) {
	tb.Helper()
	lock, err := os.Create(path + ".lock")
	if err != nil {
		tb.Fatal(err)
	}
	defer lock.Close() // and unlocks
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		return
	}
	flags := fmt.Sprintf("-s -w -X %[1]s.version=%[2]s -X %[1]s.revision=%[3]s -X %[1]s.date=%[4]s", setupPath, Version, Revision, Date)
	arguments := append([]string{"build", "-ldflags", flags, "-o", path}, more...)
	build := exec.CommandContext(tb.Context(), "go", append(arguments, "github.com/feedwire/feedwire/cmd/feedwire")...)
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("build: %v\n%s", err, out)
	}
}

// RemoveBuilds removes the built programs.
func RemoveBuilds() {
	builds.Lock()
	defer builds.Unlock()
	if builds.dir != "" {
		_ = os.RemoveAll(builds.dir)
	}
}

// NewProcess writes the configuration of one daemon.
func NewProcess(t *testing.T, binary, more string) *Process {
	t.Helper()
	dir := t.TempDir()
	p := &Process{T: t, Binary: binary, Config: filepath.Join(dir, "feedwire.yaml"), Address: "127.0.0.1:" + FreePort(t)}
	text := fmt.Sprintf(`
listen: %s
data_dir: %s
api: {token: %s}
fetch: {allow_networks: [127.0.0.0/8], interval: 1s, host_delay: 0s, min_interval: 0s}
%s
`, p.Address, filepath.Join(dir, "data"), Token, more)
	if err := os.WriteFile(p.Config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.Cmd != nil {
			p.Kill()
		}
	})
	return p
}

// Client returns a client of the daemon.
func (p *Process) Client() *client.Client {
	return client.New("http://"+p.Address, Token, time.Minute)
}

// Ready waits until the daemon is ready.
func (p *Process) Ready() {
	p.T.Helper()
	c := p.Client()
	Eventually(p.T, "ready", func() bool { return c.Call(p.T.Context(), http.MethodGet, "/readyz", nil, nil) == nil })
}

// Start starts the daemon. environment is added to that of the test, and to StoreTimeout.
func (p *Process) Start(environment ...string) {
	p.T.Helper()
	p.Log = new(Logbook)
	p.Cmd = exec.Command(p.Binary, "serve", "--config", p.Config)
	p.Cmd.Stderr, p.Cmd.Env = p.Log, slices.Concat(os.Environ(), []string{"FEEDWIRE_STORE_TIMEOUT=" + StoreTimeout}, environment)
	if err := p.Cmd.Start(); err != nil {
		p.T.Fatal(err)
	}
}

// Kill kills the daemon with SIGKILL and waits until it has ended.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill()
	_ = p.Cmd.Wait()
	p.Cmd = nil
}

// Signal sends a signal to the daemon.
func (p *Process) Signal(s syscall.Signal) {
	p.T.Helper()
	if err := p.Cmd.Process.Signal(s); err != nil {
		p.T.Fatal(err)
	}
}
