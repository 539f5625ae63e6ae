package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/route"
	"github.com/feedwire/feedwire/store/storetest"
)

// What a daemon kept in one Redis is copied to a cluster, where a daemon goes on with it.
func TestMigrateToACluster(t *testing.T) {
	redis := storetest.RedisAOF(t)
	cluster := storetest.NewCluster(t, false)
	const prefix = "{feedwire}:"
	web := newOrigin(t)
	web.set("/feed.xml", posts(3)...)
	var src feed.Source
	t.Run("a daemon works on one Redis and ends", func(t *testing.T) {
		d := start(t, redis, "")
		src = d.add(web.URL+"/feed.xml", map[string]any{"publish": "auto"})
		eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 3 })
	})
	args := []string{
		"migrate", "--data-dir", filepath.Join(t.TempDir(), "data"), "--store-redis", "unix://" + redis.Addr(),
		"--to", cluster.URL(), "--to-prefix", prefix,
	}
	raw := storetest.NewRedigo(t, cluster.Masters[storetest.Home(route.Slot(prefix))].Dial, prefix)
	eventually(t, "seen to be at rest", func() bool {
		code, out, _ := cli(t, append(args, "--dry-run")...)
		return code == exitOK && strings.Contains(out, "keys would be copied; nothing was")
	})
	if keys := raw.Keys("*"); len(keys) > 0 {
		t.Fatalf("the dry run left %v", keys)
	}
	code, out, says := cli(t, args...)
	if code != exitOK || !strings.Contains(out, "compared and the same") {
		t.Fatalf("exit code %d: %s%s", code, out, says)
	}
	fails(t, exitFailed, "not empty", args...)
	raw.Check([]string{"production", "development"}, feed.ImportAfter)

	d := startAt(t, cluster.URL(), prefix, "", nil)
	web.set("/feed.xml", posts(4)...)
	if after := d.poll(src); after.Poll.Entries != 4 || !after.Added.Equal(src.Added) {
		t.Errorf("the source has %d entries and was added %v, want 4 and %v", after.Poll.Entries, after.Added, src.Added)
	}
	eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 4 })
	raw.Check([]string{"production", "development"}, feed.ImportAfter)
}

func TestMigrateNeedsAPlace(t *testing.T) {
	fails(t, exitUsage, "--to is missing", "migrate")
	fails(t, exitUsage, "which keys", "migrate", "--store-redis", "redis://127.0.0.1:1", "--to", "redis+cluster://127.0.0.1:1")
}
