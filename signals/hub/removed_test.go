package hub_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/hub"
)

// A subscriber of a removed topic that does not respond has no active subscription either.
func TestSubscribersOfARemovedTopicAreDenied(t *testing.T) {
	t.Parallel()
	g := newFrontHarness(t, func(o *hub.FrontOptions) { o.RemovedEvery = 50 * time.Millisecond })
	const other = "http://lighthouse.example/feed.xml"
	g.topics.set(other, "text/plain", "a")
	var mu sync.Mutex
	denied := make(map[string]string) // reasons by topic and callback
	hang := make(chan struct{})
	g.web.answer = func(req *http.Request) (*http.Response, error) {
		if q := req.URL.Query(); q.Get("hub.mode") == "denied" {
			mu.Lock()
			denied[q.Get("hub.topic")+" "+req.URL.Host] = q.Get("hub.reason")
			mu.Unlock()
			if req.URL.Host == "silent.example" {
				<-hang
			}
		}
		return respond(req, http.StatusOK)
	}
	for n, host := range []string{"reader.example", "silent.example"} {
		g.subscribe(client(n), "http://"+host+"/cb")
		g.subscribe(client(n), "http://"+host+"/cb", "hub.topic", other)
	}
	g.poll()
	g.topics.remove(harbour)
	if code := g.subscribe(client(5), "http://reader.example/cb", "hub.mode", "unsubscribe"); code != http.StatusAccepted {
		t.Errorf("unsubscribing from a removed topic got %d", code)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- g.front.Run(ctx) }()
	eventually(t, "the subscriptions have ended", func() bool {
		all, err := g.store.Subscriptions(t.Context(), "", "", 10)
		return err == nil && len(all) == 2 && all[0].Topic == other && all[1].Topic == other
	})
	eventually(t, "the silent one is notified", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return denied[harbour+" silent.example"] != ""
	})
	close(hang)
	cancel()
	<-ended
	if len(denied) > 2 || denied[other+" reader.example"] != "" {
		t.Errorf("denied: %v", denied)
	}
}
