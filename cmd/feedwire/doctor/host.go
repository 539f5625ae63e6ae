package doctor

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"golang.org/x/sys/unix"

	"github.com/feedwire/feedwire/config"
)

// Host checks the resources of this machine.
func Host(cfg *config.Config) (all Findings) {
	var disk unix.Statfs_t
	if err := unix.Statfs(cfg.DataDir, &disk); err != nil {
		all = append(all, bad("disk", fmt.Sprintf("data_dir %s: %v", cfg.DataDir, err), "journals and cached copies cannot be written",
			"create the directory, and make it writable for the user of the daemon"))
	} else {
		all = append(all, examineDisk(int64(disk.Bavail)*int64(disk.Bsize), int64(disk.Blocks)*int64(disk.Bsize))) //nolint:unconvert // their types differ by system
	}
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err == nil {
		all = append(all, examineFiles(int64(files.Cur), cfg))
	}
	return all
}

func examineDisk(free, size int64) Finding {
	f := warn("disk", fmt.Sprintf("%d of %d MiB are free in data_dir", free>>20, size>>20),
		"a full disk stops the private store and the journal of impressions", "free disk space, or move data_dir")
	switch {
	case free < 64<<20:
		f.Level = LevelBad
	case free >= 512<<20 && free >= size/20:
		return OK("disk", "%d MiB are free in data_dir", free>>20)
	}
	return f
}

// filesBesides are file descriptors for everything else: visitors of feeds and pages, files, the private store.
const filesBesides = 512

// examineFiles compares the limit of open files with the maximum for polls, deliveries and calls to the store. The slow pool
// has up to four polls for each worker.
func examineFiles(limit int64, cfg *config.Config) Finding {
	need := int64(cfg.Store.Pool + 5*cfg.Fetch.Workers + cfg.Hub.Workers + 512 + filesBesides)
	if limit >= 0 && limit < need {
		return warn("limits", fmt.Sprintf("%d open files allowed, up to %d needed", limit, need),
			"polls and deliveries fail under load", "increase ulimit -n, or LimitNOFILE of the service")
	}
	return OK("limits", "%d open files allowed, up to %d needed", limit, need)
}

// Proxy checks whether the proxy for sources accepts connections.
func Proxy(ctx context.Context, cfg *config.Config) Findings {
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
		return Findings{bad("proxy", "fetch.proxy is unreachable: "+err.Error(), "no source can be polled", "start the proxy, or change fetch.proxy")}
	}
	_ = conn.Close()
	return Findings{OK("proxy", "fetch.proxy accepts connections")}
}

// Mail returns the finding about the server of mail, which was connected to with err.
func Mail(host string, err error) Finding {
	if err != nil {
		return bad("mail", fmt.Sprintf("mail.host %s: %v", host, err), "people who forgot their password get no link",
			"start the server, or correct mail.host, mail.port, mail.tls, mail.user and the password")
	}
	return OK("mail", "mail.host %s accepts the connection", host)
}

// Search returns the finding about the index of the search, which is not up to date for the reason err.
func Search(incomplete bool, err error) Finding {
	switch {
	case err != nil:
		return bad("search", fmt.Sprintf("the index of the search is not up to date: %v", err), "searches lack new entries, or fail",
			"free disk space, and make the directory search of data_dir writable; if it is removed, the daemon builds it anew")
	case incomplete:
		return OK("search", "the index of the search is being built")
	}
	return OK("search", "the index of the search has all entries")
}

// Bucket returns the finding about the bucket of images, which was listed with err.
func Bucket(url string, err error) Finding {
	if err != nil {
		return bad("bucket", fmt.Sprintf("posts.s3_url %s cannot be listed: %v", url, err), "images of posts are not shown, and uploads are refused",
			"start the store, or correct posts.s3_url and its keys")
	}
	return OK("bucket", "posts.s3_url %s can be listed", url)
}
