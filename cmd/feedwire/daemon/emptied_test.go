package daemon

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestFeedsAreServedWhenRedisWasEmptied(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "")
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(2)...)
	d.add(web.URL+"/feed.xml", map[string]any{"publish": "auto"})
	wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 2 })
	_, before, _ := d.fetch("production", "reader", nil)
	if len(before) != 2 {
		t.Fatalf("the feed holds %v", before)
	}
	storetest.Commands(t, redis.Dial).Do("FLUSHALL")
	for range 3 {
		status, after, header := d.fetchOnce("production", wiretest.Facebook, nil)
		if status != http.StatusOK || !slices.Equal(after, before) {
			t.Fatalf("after FLUSHALL got %d with %v, want %v", status, after, before)
		}
		if header.Get("X-Feedwire-Stale") != "1" {
			t.Errorf("a consumer was answered as if nothing had happened: %v", header)
		}
	}
	wiretest.Eventually(t, "not ready", func() bool { return d.status("/readyz") == http.StatusServiceUnavailable })
	resp, err := d.Http.Get(d.Base + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if !strings.Contains(string(said), "restore a backup, or restart the daemon") || d.status("/healthz") != http.StatusOK {
		t.Errorf("/readyz says %q", said)
	}
	var page feed.Page[feed.Source]
	if err := d.Call(t.Context(), http.MethodGet, "/api/v1/sources", nil, &page); err == nil {
		t.Errorf("the API lists %d sources of an emptied store", len(page.Items))
	}
}
