package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// The program is killed while it asks a callback, and sends the request again right after its restart. Other daemons wait 20 s.
func TestKilledInAVerification(t *testing.T) {
	t.Parallel()
	web := wiretest.NewOrigin(t)
	topic := web.URL + "/feed.xml"
	web.Set("/feed.xml", wiretest.Posts(1)...)
	p := wiretest.BuildProgram(t, hubLines(storetest.RedisAOF(t)))
	p.Start()
	p.Ready()
	if err := p.Client().Call(t.Context(), http.MethodPost, "/api/v1/sources", map[string]any{"url": topic}, nil); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	callback := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			<-r.Context().Done() // until the one who asks is gone
			return
		}
		_, _ = w.Write([]byte(r.FormValue("hub.challenge")))
	}))
	t.Cleanup(callback.Close)
	resp, err := http.PostForm("http://"+p.Address+"/hub", url.Values{
		"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {callback.URL + "/cb"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusAccepted {
		t.Fatalf("answered %s", resp.Status)
	}
	wiretest.Eventually(t, "asked", func() bool { return asked.Load() == 1 })
	since := time.Now()
	p.Kill()
	p.Start()
	wiretest.Within(t, 18*time.Second-time.Since(since), "subscribed", func() bool { return len(subscriptions(t, p)) == 1 })
}
