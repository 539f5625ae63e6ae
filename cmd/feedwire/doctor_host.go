package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"golang.org/x/sys/unix"

	"github.com/feedwire/feedwire/config"
)

// examineHost judges what this machine gives the daemon.
func examineHost(cfg *config.Config) (all []finding) {
	var disk unix.Statfs_t
	if err := unix.Statfs(cfg.DataDir, &disk); err != nil {
		all = append(all, finding{"disk", badLevel, fmt.Sprintf("data_dir %s: %v", cfg.DataDir, err), "journals and copies cannot be written",
			"make the directory, and let the user of the daemon write to it"})
	} else {
		all = append(all, examineDisk(int64(disk.Bavail)*int64(disk.Bsize), int64(disk.Blocks)*int64(disk.Bsize))) //nolint:unconvert // their types differ by system
	}
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err == nil {
		all = append(all, examineFiles(int64(files.Cur), cfg))
	}
	return all
}

func examineDisk(free, size int64) finding {
	f := finding{"disk", warnLevel, fmt.Sprintf("%d MiB of %d are free in data_dir", free>>20, size>>20),
		"a full disk stops a private store, and journals of impressions", "make room, or move data_dir"}
	switch {
	case free < 64<<20:
		f.Level = badLevel
	case free >= 512<<20 && free >= size/20:
		return well("disk", "%d MiB are free in data_dir", free>>20)
	}
	return f
}

// filesBesides are file descriptors for all that is not counted: visitors of feeds and pages, files, the private store.
const filesBesides = 512

// examineFiles compares how many files may be open with what polls, deliveries and calls of the store may need at once. Slow
// polls are given up to four more for each worker.
func examineFiles(limit int64, cfg *config.Config) finding {
	need := int64(cfg.Store.Pool + 5*cfg.Fetch.Workers + cfg.Hub.Workers + 512 + filesBesides)
	if limit >= 0 && limit < need {
		return finding{"limits", warnLevel, fmt.Sprintf("%d files may be open, %d may be needed", limit, need),
			"polls and deliveries fail when many are under way", "raise it: ulimit -n, or LimitNOFILE of the service"}
	}
	return well("limits", "%d files may be open, %d may be needed", limit, need)
}

// examineProxy tries the proxy for sources.
func examineProxy(ctx context.Context, cfg *config.Config) []finding {
	proxy, err := url.Parse(cfg.Fetch.Proxy.Reveal())
	if err != nil || proxy.Host == "" {
		return nil
	}
	port := proxy.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[proxy.Scheme]
	}
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", net.JoinHostPort(proxy.Hostname(), port))
	if err != nil {
		return []finding{{"proxy", badLevel, "fetch.proxy cannot be reached: " + err.Error(), "no source can be polled", "start it, or change fetch.proxy"}}
	}
	_ = conn.Close()
	return []finding{well("proxy", "fetch.proxy takes connections")}
}
