package setup

import (
	"cmp"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// MemoryShares are the memory limits of the daemon and of the data of the private Redis, in bytes. 0: no limit.
type MemoryShares struct{ Daemon, Redis int64 }

// ShareMemory divides the memory of the machine: the daemon and twice the data of Redis, which Redis can need while it rewrites its
// log, take nine tenths of it. It keeps the limits that are set. private: there is a private Redis. total is 0 if it is unknown.
func ShareMemory(total int64, set MemoryShares, private bool) MemoryShares {
	const leastForRedis, leastForDaemon = 32 << 20, 64 << 20
	if total == 0 {
		return set
	}
	usable := total / 10 * 9
	if !private {
		return MemoryShares{Daemon: cmp.Or(set.Daemon, usable)}
	}
	share := set
	if share.Redis == 0 {
		share.Redis = max(min(total/4, (usable-share.Daemon)/2), leastForRedis)
	}
	if share.Daemon == 0 {
		share.Daemon = max(usable-2*share.Redis, leastForDaemon)
	}
	return share
}

// Memory returns how many bytes of memory this program and its children may use: those of the machine, or less if a control group
// limits them. root is the root of the file system. 0: unknown.
func Memory(root fs.FS) int64 {
	least := int64(math.MaxInt64)
	lower := func(text string, unit int64) {
		if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && n > 0 && n < math.MaxInt64/unit { // not "max"
			least = min(least, n*unit)
		}
	}
	if _, total, ok := strings.Cut(read(root, "proc/meminfo"), "MemTotal:"); ok {
		kilobytes, _, _ := strings.Cut(total, "kB")
		lower(kilobytes, 1<<10)
	}
	for line := range strings.Lines(read(root, "proc/self/cgroup")) {
		_, line, _ = strings.Cut(strings.TrimSpace(line), ":") // a number
		controllers, group, _ := strings.Cut(line, ":")
		mount, file := "sys/fs/cgroup", "memory.max"
		switch controllers {
		case "": // version 2
		case "memory":
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// The limits of all groups above apply as well. In a container the path may be that of the host, and the root is its group.
		for group = path.Clean("/" + group); ; group = path.Dir(group) {
			lower(read(root, path.Join(mount, group, file)), 1)
			if group == "/" {
				break
			}
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// read returns the content of a file, or nothing if the file cannot be read.
func read(root fs.FS, name string) string {
	text, _ := fs.ReadFile(root, name) // systems without it
	return string(text)
}
