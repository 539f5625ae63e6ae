package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/storetest"
)

// The program is killed while it asks a callback, and asks again as soon as it is back: nobody else may before 20 s.
func TestKilledInAVerification(t *testing.T) {
	t.Parallel()
	web := newOrigin(t)
	topic := web.URL + "/feed.xml"
	web.set("/feed.xml", posts(1)...)
	p := buildProgram(t, hubLines(storetest.RedisAOF(t)))
	p.start()
	p.ready()
	if err := p.client().call(t.Context(), http.MethodPost, "/api/v1/sources", map[string]any{"url": topic}, nil); err != nil {
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
	resp, err := http.PostForm("http://"+p.address+"/hub", url.Values{
		"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {callback.URL + "/cb"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusAccepted {
		t.Fatalf("answered %s", resp.Status)
	}
	eventually(t, "asked", func() bool { return asked.Load() == 1 })
	since := time.Now()
	p.kill()
	p.start()
	within(t, 18*time.Second-time.Since(since), "subscribed", func() bool { return len(subscriptions(t, p)) == 1 })
}
