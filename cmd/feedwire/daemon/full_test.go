package daemon

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestFullRedisIsReportedAndRelievedOfOldData(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	raw := storetest.Commands(t, redis.Dial)
	const old, size = 20, 1 << 20
	for i := range old { // signals of 1970
		raw.Do("XADD", "signals", fmt.Sprintf("%d-1", i+1), "kind", "feed_modified", "feed_url", "http://a.example/", "padding", strings.Repeat("x", size))
	}
	d := start(t, redis, "housekeeping: {trim: 0 0 1 1 *}")
	wiretest.Eventually(t, "read", func() bool {
		state, err := d.app.store.Signals.OutboxState(t.Context())
		cursor, failed := d.app.store.Hub.HubCursor(t.Context())
		return err == nil && failed == nil && state.OldestPending.IsZero() && cursor == fmt.Sprintf("%d-1", old)
	})

	raw.Do("CONFIG", "SET", "maxmemory", "1")
	response := func(method, path, body string) (int, string, http.Header) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, d.Base+path, bytes.NewBufferString(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+d.Token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := d.Http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text), resp.Header
	}
	const reason = "has reached the limit of its memory"
	if code, text, _ := response(http.MethodGet, "/readyz", ""); code != http.StatusServiceUnavailable || !strings.Contains(text, reason) {
		t.Errorf("readyz: %d %q", code, text)
	}
	code, text, header := response(http.MethodPost, "/api/v1/sources", `{"url": "http://b.example/feed"}`)
	if code != http.StatusServiceUnavailable || !strings.Contains(text, reason) || header.Get("Retry-After") == "" {
		t.Errorf("a write: %d %q, %v", code, text, header)
	}

	// At this limit Redis is full until the old signals are gone.
	raw.Do("CONFIG", "SET", "maxmemory", fmt.Sprint(old*size))
	wiretest.Eventually(t, "ready again", func() bool { return d.status("/readyz") == http.StatusOK })
	if n := raw.Int("XLEN", "signals"); n >= old {
		t.Errorf("%d signals are stored", n)
	}
	wiretest.Eventually(t, "measured", func() bool {
		return d.metric("feedwire_redis_memory_limit_bytes", "", "") == old*size && d.metric("feedwire_redis_memory_used_bytes", "", "") > 0
	})
}
