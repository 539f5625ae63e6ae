package embedded

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// childAttributes put the child into a process group of its own, so that Ctrl-C reaches only the daemon, and make the kernel end the
// child when the daemon is killed.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// startOf identifies a process among those with the same pid by the boot and the clock tick of its start (proc(5), field 22 of stat).
// A zombie has none.
func startOf(pid int) (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// Field 2 is the name in parentheses, which may contain spaces and parentheses; field 3 is the state.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	return fmt.Sprintf("%s %s", fields[19], bytes.TrimSpace(boot)), nil
}
