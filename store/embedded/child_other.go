//go:build unix && !linux

package embedded

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// childAttributes put the child into a process group of its own, so that Ctrl-C reaches the daemon only. The kernel
// does not end it when the daemon is killed: the next daemon does.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// birthOf tells one process from a later one with its pid: when it was started, to the second. A process that has
// ended and not been waited for has none.
func birthOf(pid int) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	//nolint:gosec // the only argument is a number
	out, err := exec.CommandContext(ctx, "ps", "-o", "stat=,lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return "", fmt.Errorf("ps -p %d: %w", pid, err)
	}
	state, birth, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if birth == "" || strings.HasPrefix(state, "Z") {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	return strings.TrimSpace(birth), nil
}
