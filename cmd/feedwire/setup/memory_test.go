package setup_test

import (
	"testing"
	"testing/fstest"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
)

const machine = "MemTotal:        4096000 kB\nMemFree:          12345 kB\n"

// system returns the root of a file system with these files.
func system(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

func TestMemoryIsThatOfTheMachineOrItsControlGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no limit", map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/\n"}, 4096000 << 10},
		{"a group that has none", map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n",
		}, 4096000 << 10},
		{"a group above limits", map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "1000000000\n",
		}, 1_000_000_000},
		{"the lowest of two groups", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "300000000\n", "sys/fs/cgroup/a/memory.max": "200000000\n",
		}, 200_000_000},
		{"a container", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "300000000\n"}, 300_000_000},
		{"version 1", map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "5:cpu:/a\n4:memory:/docker/abc\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "500000000\n",
		}, 500_000_000},
		{"version 1 without a limit", map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 4096000 << 10},
		{"unknown", nil, 0},
	} {
		if got := setup.Memory(system(c.files)); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestDaemonAndRedisShareTheMemory(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	for name, c := range map[string]struct {
		set          setup.MemoryShares
		external     bool
		daemon, data int64
	}{
		"nothing is set":                     {setup.MemoryShares{}, false, 400 * mb, 250 * mb},
		"the limit of the daemon":            {setup.MemoryShares{Daemon: 700 * mb}, false, 700 * mb, 100 * mb},
		"the limit of Redis":                 {setup.MemoryShares{Redis: 100 * mb}, false, 700 * mb, 100 * mb},
		"both":                               {setup.MemoryShares{Daemon: 100 * mb, Redis: 200 * mb}, false, 100 * mb, 200 * mb},
		"a daemon that leaves memory unused": {setup.MemoryShares{Daemon: 100 * mb}, false, 100 * mb, 250 * mb},
		"a daemon that leaves nothing":       {setup.MemoryShares{Daemon: 2000 * mb}, false, 2000 * mb, 32 * mb},
		"Redis that leaves nothing":          {setup.MemoryShares{Redis: 2000 * mb}, false, 64 * mb, 2000 * mb},
		"no private Redis":                   {setup.MemoryShares{}, true, 900 * mb, 0},
		"no private Redis, set":              {setup.MemoryShares{Daemon: 100 * mb, Redis: 200 * mb}, true, 100 * mb, 0},
	} {
		if got := setup.ShareMemory(1000*mb, c.set, !c.external); got != (setup.MemoryShares{Daemon: c.daemon, Redis: c.data}) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	for _, total := range []int64{256 * mb, 512 * mb, 1 << 30, 1 << 34, 1 << 40} {
		got := setup.ShareMemory(total, setup.MemoryShares{}, true)
		if got.Daemon+2*got.Redis > total/10*9 || got.Daemon < 64*mb || got.Redis < 32*mb {
			t.Errorf("of %d MB: got %+v", total/mb, got)
		}
	}
	if got := setup.ShareMemory(0, setup.MemoryShares{}, true); got != (setup.MemoryShares{}) {
		t.Errorf("of unknown memory: got %+v", got)
	}
}
