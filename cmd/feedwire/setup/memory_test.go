package setup_test

import (
	"testing"
	"testing/fstest"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
)

func TestRedisMayUseTwoFifthsOfTheMemory(t *testing.T) {
	t.Parallel()
	const machine = "MemTotal:        4096000 kB\nMemFree:          12345 kB\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		set   int64
		want  int64
	}{
		{"no limit", map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/\n"}, 0, 4096000 << 10 / 5 * 2},
		{"a group that has none", map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n",
		}, 0, 4096000 << 10 / 5 * 2},
		{"a group above limits", map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "1000000000\n",
		}, 0, 400_000_000},
		{"version 1", map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "5:cpu:/a\n4:memory:/docker/abc\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "500000000\n",
		}, 0, 200_000_000},
		{"version 1 without a limit", map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 0, 4096000 << 10 / 5 * 2},
		{"little memory", map[string]string{"proc/meminfo": "MemTotal: 1024 kB\n"}, 0, 64 << 20},
		{"unknown", nil, 0, 0},
		{"set", map[string]string{"proc/meminfo": machine}, 1 << 30, 1 << 30},
	} {
		root := fstest.MapFS{}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		cfg := &config.Config{}
		cfg.Store.MaxMemory = c.set
		if got := setup.RedisMemory(cfg, root); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}
