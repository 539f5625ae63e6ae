package daemon

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/storetest"
)

func TestProfilesAreOnTheirOwnListenerOnly(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "debug: {listen: 127.0.0.1:0}\n")
	address := "http://" + d.app.debug.Addr().String()
	for _, c := range []struct {
		url, host string
		status    int
		says      string
	}{
		{address + "/debug/pprof/goroutine?debug=1", "", http.StatusOK, "goroutine profile:"},
		{address + "/debug/pprof/cmdline", "localhost", http.StatusOK, ""},
		{address + "/debug/pprof/heap", "rebound.example", http.StatusForbidden, "its own name"},
		{address + "/metrics", "", http.StatusNotFound, ""},
		{d.Base + "/debug/pprof/heap", "", http.StatusNotFound, ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != c.status || !strings.Contains(string(said), c.says) {
			t.Errorf("%s for host %q: %d, %.100s", c.url, c.host, resp.StatusCode, said)
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}
