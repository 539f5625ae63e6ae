package embedded

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// childAttributes put the child into a process group of its own, so that Ctrl-C reaches the daemon only, and let the
// kernel end it when the daemon is killed.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// birthOf tells one process from a later one with its pid: the boot and the clock tick in which it was started
// (proc(5), field 22 of stat). A process that has ended and not been waited for has none.
func birthOf(pid int) (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// Field 2 is the name in parentheses and may hold spaces and parentheses; 3 is the state.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	return fmt.Sprintf("%s %s", fields[19], bytes.TrimSpace(boot)), nil
}
