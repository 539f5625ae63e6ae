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

const pidFile = "server-pid"

// recordChild writes the pid and the start of the child, for a daemon that finds it without its parent.
func recordChild(dir string, pid int) error {
	start, err := startOf(pid)
	if err != nil {
		return nil //nolint:nilerr // the child has ended already, and the caller that waits for it reports why
	}
	return os.WriteFile(filepath.Join(dir, pidFile), fmt.Appendf(nil, "%d %s\n", pid, start), 0o600)
}

// recordedChild returns the pid that recordChild wrote, and whether that process is alive. A later process with this pid has another
// start.
func recordedChild(dir string) (pid int, alive bool) {
	text, _ := os.ReadFile(filepath.Join(dir, pidFile)) // missing or damaged: none
	number, start, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	pid, _ = strconv.Atoi(number)
	if pid <= 1 || start == "" {
		return 0, false
	}
	current, err := startOf(pid)
	return pid, err == nil && current == start
}

// endLeftover ends a server that outlived its daemon: two servers on one directory would destroy the data. The server is asked by
// SHUTDOWN and by signal to finish its writes, and killed after the grace.
func endLeftover(ctx context.Context, dir, socket string, grace time.Duration, log *slog.Logger) error {
	gone := func() bool {
		conn, err := dialSocket(ctx, socket)
		if err == nil {
			_ = conn.Close() // only its existence mattered
		}
		_, alive := recordedChild(dir)
		return err != nil && !alive
	}
	if gone() {
		return nil
	}
	pid, _ := recordedChild(dir)
	log.InfoContext(ctx, "ending the store server of an earlier run", "pid", pid)
	_, _ = roundTrip(ctx, socket, "SHUTDOWN") // gone reports whether it worked
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if pid, alive := recordedChild(dir); alive {
			_ = syscall.Kill(pid, signal) // likewise
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
	return fmt.Errorf("the server of an earlier run (pid %d, socket %s) does not end: end it by hand", pid, socket)
}
