package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// identity is one process. A pid alone is none: it is given to another one later.
type identity struct {
	pid   int
	birth string // from birthOf
}

const pidFile = "server-pid"

// recordChild writes down who the child is, for a daemon that finds it without its parent.
func recordChild(dir string, pid int) error {
	birth, err := birthOf(pid)
	if err != nil {
		return nil //nolint:nilerr // it has ended already, and who waits for it will say why
	}
	return os.WriteFile(filepath.Join(dir, pidFile), fmt.Appendf(nil, "%d %s\n", pid, birth), 0o600)
}

// recordedChild reads what recordChild wrote. Nothing readable is the zero identity, which no process has.
func recordedChild(dir string) identity {
	text, err := os.ReadFile(filepath.Join(dir, pidFile))
	if err != nil {
		return identity{}
	}
	number, birth, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 1 || birth == "" {
		return identity{}
	}
	return identity{pid, birth}
}

func (id identity) alive() bool {
	if id == (identity{}) {
		return false
	}
	birth, err := birthOf(id.pid)
	return err == nil && birth == id.birth
}

// endLeftover ends a server that outlived its daemon: two on one directory would destroy the data. It is asked over
// its socket and by signal, so that it can finish its writes, and killed when it has not ended after the grace.
func endLeftover(ctx context.Context, dir, socket string, grace time.Duration, log *slog.Logger) error {
	old := recordedChild(dir)
	gone := func() bool {
		conn, err := dialSocket(ctx, socket)
		if err == nil {
			_ = conn.Close() // only its existence mattered
		}
		return err != nil && !old.alive()
	}
	if gone() {
		return nil
	}
	log.InfoContext(ctx, "ending the store server that an earlier run left", "pid", old.pid)
	_, _ = ask(ctx, socket, "SHUTDOWN") // whether it worked shows below
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if old.alive() {
			_ = syscall.Kill(old.pid, signal) // likewise
		}
		for start := time.Now(); time.Since(start) < grace; {
			if gone() {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	return fmt.Errorf("the server of an earlier run (pid %d, socket %s) does not end: end it by hand", old.pid, socket)
}
