package setup

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/config"
)

// RedisMemory returns the maxmemory of the private Redis in bytes: store.max_memory, or two fifths of the memory that this program may
// use, because Redis can need twice its data while it rewrites its log. root is the root of the file system. 0: no limit, because
// the system does not say how much memory it has.
func RedisMemory(cfg *config.Config, root fs.FS) int64 {
	const least = 64 << 20
	memory := Memory(root)
	switch {
	case cfg.Store.MaxMemory > 0:
		return cfg.Store.MaxMemory
	case memory == 0:
		return 0
	}
	return max(memory/5*2, least)
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
