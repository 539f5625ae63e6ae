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

// An app gets 401 until the daemon notices that the store is empty, then 503 with the reason, because the account may come back, and 401 again
// if the daemon begins with the empty store.
func TestAppsLearnThatRedisWasEmptied(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "")
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "bob", "role": "member"}, nil)
	_, token, err := d.app.people.CreateToken(t.Context(), &feed.Visitor{Name: "bob"}, "phone", feed.AppScopes(), 0)
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, address, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := d.Http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	// It changes something: reads may go on for a while.
	if status, text := send(http.MethodPost, d.Base+"/api/v1/me/read", `{"all": true}`); status != http.StatusNoContent {
		t.Fatalf("got %d: %s", status, text)
	}
	storetest.Commands(t, redis.Dial).Do("FLUSHALL")
	paths := []string{"/api/v1/me/feed", "/api/v1/me/follows", "/api/v1/me/apps", "/feed"}
	for _, noticed := range []bool{false, true} {
		if noticed && d.app.store.Check(t.Context()) == nil {
			t.Fatal("the store is not found empty")
		}
		for _, path := range paths {
			status, text := send(http.MethodGet, d.Base+path, "")
			explained := status == http.StatusServiceUnavailable && strings.Contains(text, "The data of this installation is gone from the store")
			if !explained && (noticed || status != http.StatusUnauthorized) {
				t.Errorf("%s: got %d: %s", path, status, text)
			}
		}
	}
	again := start(t, redis, "")
	for _, path := range paths {
		if status, text := send(http.MethodGet, again.Base+path, ""); status != http.StatusUnauthorized {
			t.Errorf("%s after a restart: got %d: %s", path, status, text)
		}
	}
}
