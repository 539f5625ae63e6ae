package storetest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
)

// Server is a real redis-server of one test. Its methods fail the test where they fail, so all but Dial and Addr belong
// into the goroutine of the test.
type Server struct {
	tb        testing.TB
	binary    string
	dir       string
	network   string   // unix or tcp
	addr      string   // path of the socket, or host:port
	arguments []string // but for where it listens
	environ   []string // besides that of the test
	guard     *Guard   // nil: everybody may come in
	cmd       *exec.Cmd
	ended     chan struct{} // closed when cmd has ended
}

// Redis starts a server that keeps nothing, ends it with the test, and returns how to reach it.
func Redis(tb testing.TB) func(ctx context.Context) (net.Conn, error) {
	tb.Helper()
	s := newServer(tb, "unix", "--save", "", "--appendonly", "no")
	s.start()
	return s.Dial
}

// RedisOf is Redis with the content of another one, as Snapshot returns it.
func RedisOf(tb testing.TB, snapshot []byte) func(ctx context.Context) (net.Conn, error) {
	tb.Helper()
	s := newServer(tb, "unix", "--save", "", "--appendonly", "no")
	if err := os.WriteFile(filepath.Join(s.dir, snapshotFile), snapshot, 0o600); err != nil {
		tb.Fatal(err)
	}
	s.start()
	return s.Dial
}

const snapshotFile = "dump.rdb"

// RedisAOF starts a server that writes each command to disk before it answers, as the embedded one does: what was
// acknowledged is still there after Kill and Restart. It ends with the test. environ adds variables, such as those of a clock.
func RedisAOF(tb testing.TB, environ ...string) *Server {
	tb.Helper()
	s := newServer(tb, "unix", "--save", "", "--appendonly", "yes", "--appendfsync", "always")
	s.environ = environ
	s.start()
	return s
}

// newServer makes a server on a unix socket or a free port of this machine. It does not start it.
func newServer(tb testing.TB, network string, arguments ...string) *Server {
	tb.Helper()
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		binary, err = exec.LookPath("valkey-server")
	}
	if err != nil {
		tb.Fatal("this test needs a Redis: install the package redis-server (Debian, Ubuntu), redis or valkey (elsewhere)")
	}
	dir, err := os.MkdirTemp("", "redis") // the directory of the test may be too long for a socket
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{tb: tb, binary: binary, dir: dir, network: network, addr: filepath.Join(dir, "redis.sock")}
	s.arguments = append([]string{"--dir", dir}, arguments...)
	if network == "tcp" {
		s.addr = reserveAddr(tb)
	}
	tb.Cleanup(func() {
		if s.cmd != nil {
			s.Kill()
		}
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// configure gives a Sentinel its file of configuration.
func (s *Server) configure(name, text string) {
	s.tb.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.tb.Fatal(err)
	}
	s.arguments = slices.Concat([]string{path, "--sentinel"}, s.arguments)
}

func (s *Server) start() {
	s.tb.Helper()
	listen := []string{"--port", "0", "--unixsocket", s.addr}
	if s.network == "tcp" {
		port := s.addr[strings.LastIndexByte(s.addr, ':')+1:]
		listen = []string{"--bind", "127.0.0.1", "--port", port}
		if s.guard != nil {
			listen = []string{"--bind", "127.0.0.1", "--port", "0", "--tls-port", port}
		}
	}
	cmd := exec.CommandContext(context.Background(), s.binary, append(slices.Clone(s.arguments), listen...)...) //nolint:gosec // our own
	var said strings.Builder
	cmd.Env = append(os.Environ(), s.environ...)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		s.tb.Fatal(err)
	}
	ended := make(chan struct{})
	s.cmd, s.ended = cmd, ended
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is killed in the end
	}()
	for start := time.Now(); !s.answers(); {
		select {
		case <-ended:
			if strings.Contains(said.String(), "ddress already in use") { // another process was faster
				s.addr = reserveAddr(s.tb)
				s.start()
				return
			}
			s.tb.Fatalf("%s ended: %s", s.binary, said.String())
		case <-time.After(2 * time.Millisecond):
		}
		if time.Since(start) > time.Minute {
			s.tb.Fatalf("%s does not answer", s.binary)
		}
	}
}

// answers reports whether the server takes commands: it listens before it has loaded its data. At its port there may be a server of
// another program instead.
func (s *Server) answers() bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	conn, err := s.Dial(ctx)
	if err != nil {
		return false
	}
	defer conn.Close() //nolint:errcheck // only read from
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	c := redis.NewConn(conn, 0, 0)
	if pong, err := redis.String(c.Do("PING")); err != nil || pong != "PONG" {
		return false
	}
	info, err := redis.String(c.Do("INFO", "server"))
	return err == nil && strings.Contains(info, fmt.Sprintf("\nprocess_id:%d\r\n", s.cmd.Process.Pid))
}

// Dial opens a connection, with all rights where the server is guarded.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, s.network, s.addr)
	if err != nil || s.guard == nil {
		return conn, err
	}
	return s.guard.enter(ctx, conn)
}

// Addr returns the path of the socket, or host:port of one of several.
func (s *Server) Addr() string { return s.addr }

// Kill ends the server as a crash does (SIGKILL) and returns when it is gone.
func (s *Server) Kill() {
	s.tb.Helper()
	s.signal(syscall.SIGKILL)
	<-s.ended
	s.cmd = nil
}

// Restart starts the server again after Kill and returns when it has loaded its data.
func (s *Server) Restart() {
	s.tb.Helper()
	if s.cmd != nil {
		s.tb.Fatal("the server still runs: Kill it first")
	}
	s.start()
}

// CutLog takes so many bytes off the end of the log of a server that was killed, as a disk does that lied about them.
func CutLog(tb TB, dir string, bytes int64) {
	tb.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, "appendonlydir", "*.incr.aof"))
	if err == nil && len(logs) == 0 { // before version 7
		logs, err = filepath.Glob(filepath.Join(dir, "appendonly.aof"))
	}
	if err != nil || len(logs) != 1 {
		tb.Fatalf("the server has the logs %q: %v", logs, err)
	}
	info, err := os.Stat(logs[0])
	if err == nil {
		err = os.Truncate(logs[0], max(0, info.Size()-bytes))
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// Stop makes the server hang (SIGSTOP): it takes connections and answers nothing until Cont.
func (s *Server) Stop() {
	s.tb.Helper()
	s.signal(syscall.SIGSTOP)
}

// Cont lets a stopped server go on (SIGCONT); it then does what it was asked meanwhile.
func (s *Server) Cont() {
	s.tb.Helper()
	s.signal(syscall.SIGCONT)
}

func (s *Server) signal(sig syscall.Signal) {
	s.tb.Helper()
	if s.cmd == nil {
		s.tb.Fatal("the server does not run: Restart it first")
	}
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.tb.Errorf("signal %v to redis: %v", sig, err)
	}
}

// RedisTCP starts a server that keeps nothing on a port of this machine, as the nodes of a cluster are. It ends with the
// test.
func RedisTCP(tb testing.TB) *Server {
	tb.Helper()
	return RedisGuarded(tb, nil)
}

// RedisGuarded is RedisTCP with a guard before it.
func RedisGuarded(tb testing.TB, guard *Guard) *Server {
	tb.Helper()
	s := newServer(tb, "tcp", append(guard.arguments(), "--save", "", "--appendonly", "no")...)
	s.guard = guard
	s.start()
	return s
}

// URL returns the address of a server on a port.
func (s *Server) URL() string { return s.guard.address("", s.addr, "", "") }
