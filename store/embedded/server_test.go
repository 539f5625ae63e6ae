package embedded_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store/embedded"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// daemonDir names the directory on which the test binary, run again, keeps a server until it is killed.
const daemonDir = "EMBEDDED_TEST_DAEMON_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(daemonDir); dir != "" {
		s := embedded.New(dir, embedded.Options{Mode: embedded.ModeChild})
		if err := s.Start(context.Background()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("ready")
		_ = s.Run(context.Background())
	}
	goleak.VerifyTestMain(m)
}

// start starts a server in child mode on dir and ends it with the test.
func start(t *testing.T, dir string) *embedded.Server {
	t.Helper()
	s := embedded.New(dir, embedded.Options{Mode: embedded.ModeChild})
	mustStart(t, s)
	return s
}

func mustStart(t *testing.T, s *embedded.Server) {
	t.Helper()
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// encode is a command as clients send it.
func encode(command string) string {
	words := strings.Fields(command)
	text := fmt.Sprintf("*%d\r\n", len(words))
	for _, w := range words {
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
	}
	return text
}

// do sends one command and returns the reply: a line, or the text of a bulk string.
func do(ctx context.Context, s *embedded.Server, command string) (string, error) {
	conn, err := s.Dial(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, encode(command)); err != nil {
		return "", err
	}
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	if err == nil && line[0] == '$' && line != "$-1\r\n" {
		line, err = r.ReadString('\n')
	}
	return strings.TrimSpace(line), err
}

func expect(t *testing.T, s *embedded.Server, command, want string) {
	t.Helper()
	got, err := do(t.Context(), s, command)
	if err != nil || got != want {
		t.Fatalf("%s: got %q, %v; want %q", command, got, err, want)
	}
}

// eventually waits for what another process does.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for start := time.Now(); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func childPID(t *testing.T, dir string) int {
	t.Helper()
	pid, alive := embedded.ChildPID(dir)
	if !alive {
		t.Fatalf("no child runs on %s", dir)
	}
	return pid
}

func TestDataIsKeptOverARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", `made "yet" \ here`)
	s := start(t, dir)
	if !strings.Contains(s.Kind(), "-server ") {
		t.Errorf("got kind %q; want a server that keeps its data", s.Kind())
	}
	expect(t, s, "SET harbour quiet", "+OK")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	expect(t, start(t, dir), "GET harbour", "quiet")
}

// A power cut leaves half of a transaction. It is gone for good, and does not come back with what is written next.
func TestHalfATransactionIsGoneForGood(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir)
	for _, cut := range []int64{10, 25, 60, 100} {
		expect(t, s, "SET before cut", "+OK")
		expect(t, s, "EVAL redis.call('LPUSH','half','1');redis.call('LPUSH','half','2');redis.call('SET','half-done','yes') 0", "$-1")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		storetest.CutLog(t, dir, cut)
		for range 2 {
			s = start(t, dir)
			expect(t, s, "EVAL redis.call('SET','after','cut');redis.call('SET','later','cut') 0", "$-1")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		s = start(t, dir)
		expect(t, s, "GET before", "cut")
		expect(t, s, "GET later", "cut")
		expect(t, s, "LLEN half", ":0")
	}
}

func TestDirectoryAndSocketAreOurs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	start(t, dir)
	for name, want := range map[string]os.FileMode{".": 0o700, "redis.sock": 0o700, "server-pid": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: got mode %o, want %o", name, got, want)
		}
	}
}

func TestRunEndsTheChild(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir)
	pid := childPID(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Run(ctx); err != nil {
		t.Errorf("run: %v", err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("child %d: got %v, want no such process", pid, err)
	}
	if _, err := s.Dial(t.Context()); !errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("dial afterwards: got %v, want ErrUnavailable", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close after run: %v", err)
	}
}

func TestDialBeforeStartIsUnavailable(t *testing.T) {
	s := embedded.New(t.TempDir(), embedded.Options{})
	if _, err := s.Dial(t.Context()); !errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	if err := s.Close(); err != nil || s.Kind() != "" {
		t.Errorf("got close %v, kind %q; want nothing", err, s.Kind())
	}
}

func TestKilledChildIsStartedAgain(t *testing.T) {
	dir := t.TempDir()
	log := &journal{}
	s := embedded.New(dir, embedded.Options{Mode: embedded.ModeChild, Logger: log.logger()})
	mustStart(t, s)
	for round := 1; round <= 3; round++ {
		expect(t, s, "INCR rounds", ":"+strconv.Itoa(round))
		if err := syscall.Kill(childPID(t, dir), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the child answers again", func() bool {
			got, err := do(t.Context(), s, "GET rounds")
			return err == nil && got == strconv.Itoa(round)
		})
		eventually(t, "both changes are logged", func() bool {
			return log.count("restarting it") == round && log.count("is restarted") == round
		})
	}
}

func TestServerOfAKilledDaemonIsReplaced(t *testing.T) {
	dir := t.TempDir()
	daemon := exec.Command(os.Args[0])
	daemon.Env = append(os.Environ(), daemonDir+"="+dir)
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("daemon: got %q, %v; want ready", line, err)
	}
	other := embedded.New(dir, embedded.Options{Mode: embedded.ModeChild})
	err = other.Start(t.Context())
	if want := fmt.Sprintf("pid %d", daemon.Process.Pid); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("second daemon: got %v, want an error with %q", err, want)
	}
	old := childPID(t, dir)
	if err := daemon.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = daemon.Wait() // it was killed

	mustStart(t, other)
	expect(t, other, "SET after kill", "+OK")
	if now := childPID(t, dir); now == old {
		t.Errorf("child %d was adopted, want it replaced", old)
	}
}

// orphan runs a server on dir whose daemon is gone. It is not ended by the kernel.
func orphan(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatalf("install the package redis-server: %v", err)
	}
	socket := filepath.Join(dir, "redis.sock")
	cmd := exec.Command(path, "--port", "0", "--dir", dir, "--unixsocket", socket,
		"--appendonly", "yes", "--appendfsync", "always", "--save", "")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }() // reaps it, as init would
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	eventually(t, "the orphan listens", func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			_, _ = io.WriteString(conn, "SET left behind\r\n")
			_, err = conn.Read(make([]byte, 5))
			_ = conn.Close()
		}
		return err == nil
	})
	return cmd
}

func TestOrphanIsEndedBeforeTheStart(t *testing.T) {
	tests := []struct {
		name           string
		recorded, hung bool
	}{
		{name: "asked over its socket"},
		{name: "recorded and well", recorded: true},
		{name: "recorded and hung", recorded: true, hung: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "orphan")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			cmd := orphan(t, dir)
			if tt.recorded {
				if err := embedded.RecordChild(dir, cmd.Process.Pid); err != nil {
					t.Fatal(err)
				}
			}
			s := embedded.New(dir, embedded.Options{Mode: embedded.ModeChild})
			if tt.hung {
				s.Patience(time.Second)
				if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			}
			mustStart(t, s)
			expect(t, s, "GET left", "behind")
			if err := cmd.Process.Signal(syscall.Signal(0)); !errors.Is(err, os.ErrProcessDone) {
				t.Errorf("orphan: got %v, want it ended", err)
			}
		})
	}
}

func TestReusedPidIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	bystander := exec.Command("sleep", "60")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bystander.Process.Kill(); _ = bystander.Wait() })
	text := fmt.Sprintf("%d of another birth\n", bystander.Process.Pid)
	if err := os.WriteFile(filepath.Join(dir, "server-pid"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, dir)
	var status syscall.WaitStatus
	pid, err := syscall.Wait4(bystander.Process.Pid, &status, syscall.WNOHANG, nil)
	if pid != 0 || err != nil {
		t.Errorf("bystander: got pid %d, %v; want it to run on", pid, err)
	}
}

func TestSecondDaemonIsRefused(t *testing.T) {
	dir := t.TempDir()
	start(t, dir)
	err := embedded.New(dir, embedded.Options{}).Start(t.Context())
	for _, want := range []string{dir, fmt.Sprintf("pid %d", os.Getpid())} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestLongDirectoryMovesTheSocket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("harbour/", 20))
	short, err := os.MkdirTemp("/tmp", "fw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	t.Setenv("TMPDIR", short)
	s := start(t, dir)
	expect(t, s, "SET long path", "+OK")
	if got := names(t, short); len(got) != 1 {
		t.Fatalf("got %q in the temporary directory, want one directory", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := names(t, short); len(got) != 0 {
		t.Errorf("got %q in the temporary directory afterwards, want nothing", got)
	}
}

func TestForeignSocketDirectoryIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("harbour/", 20))
	short, err := os.MkdirTemp("/tmp", "fw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	t.Setenv("TMPDIR", short)
	s := start(t, dir)
	private := filepath.Join(short, names(t, short)[0])
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), private); err != nil {
		t.Fatal(err)
	}
	err = embedded.New(dir, embedded.Options{}).Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), private) {
		t.Errorf("got %v, want an error with %q", err, private)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// journal collects what is logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

func (j *journal) count(part string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.text.String(), part)
}

func TestFullChildRefusesWritesAndKeepsItsData(t *testing.T) {
	s := embedded.New(t.TempDir(), embedded.Options{Mode: embedded.ModeChild, MaxMemory: 4 << 20})
	mustStart(t, s)
	expect(t, s, "SET kept yes", "+OK")
	reply, text := "", strings.Repeat("x", 1<<20)
	for i := 0; i < 10 && !strings.HasPrefix(reply, "-OOM"); i++ {
		var err error
		if reply, err = do(t.Context(), s, fmt.Sprintf("SET %d %s", i, text)); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasPrefix(reply, "-OOM") {
		t.Errorf("10 MB in a server of 4 MB: %q", reply)
	}
	expect(t, s, "GET kept", "yes")
	expect(t, s, "DEL 0", ":1")
	expect(t, s, "SET again yes", "+OK")
}
