package limits

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// SetMemory makes the runtime collect garbage in time for a limit of memory, and returns the limit, 0 if there is none. It is
// the given number of bytes or, if that is 0, GOMEMLIMIT of the environment or else a share, in per cent, of the limit of the
// control group (a container or a service).
func SetMemory(bytes int64, share int64) int64 {
	if bytes == 0 {
		if inForce := debug.SetMemoryLimit(-1); inForce != math.MaxInt64 {
			return inForce
		}
		bytes = cgroupMemory("/") / 100 * share
	}
	if bytes > 0 {
		debug.SetMemoryLimit(bytes)
	}
	return bytes
}

// cgroupMemory returns the lowest memory limit of the control groups that contain this process; 0: there is none. root is "/"
// except in tests.
func cgroupMemory(root string) (lowest int64) {
	membership, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(membership)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		dir, file := "sys/fs/cgroup", "memory.max" // version 2
		switch {
		case fields[1] == "memory":
			dir, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		case fields[1] != "":
			continue
		}
		for group := filepath.Clean("/" + fields[2]); ; group = filepath.Dir(group) {
			text, _ := os.ReadFile(filepath.Join(root, dir, group, file)) // the group may be outside of what a container sees
			bytes, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
			if err == nil && bytes > 0 && bytes < math.MaxInt64/2 && (lowest == 0 || bytes < lowest) {
				lowest = bytes
			}
			if group == "/" {
				break
			}
		}
	}
	return lowest
}
