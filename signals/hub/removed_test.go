package hub_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store/feed"
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

// movedStore is a store of a catalog with subscribers of some topics.
type movedStore struct {
	catalogStore
	urls       []string
	subscribed map[string]bool
}

func (s *movedStore) AddPublicURL(_ context.Context, url string) ([]string, error) {
	for _, known := range s.urls {
		if known == url {
			return append([]string(nil), s.urls...), nil
		}
	}
	s.urls = append(s.urls, url)
	return append([]string(nil), s.urls...), nil
}

func (s *movedStore) ForgetPublicURL(_ context.Context, url string) error {
	for i, known := range s.urls {
		if known == url {
			s.urls = append(s.urls[:i:i], s.urls[i+1:]...)
		}
	}
	return nil
}

func (s *movedStore) HaveSubscribers(_ context.Context, topics []string) (have []bool, err error) {
	for _, topic := range topics {
		have = append(have, s.subscribed[topic])
	}
	return have, nil
}

func TestTopicsOfAFormerPublicURLAreAliasesWhileTheyHaveSubscribers(t *testing.T) {
	const before, now = "https://old.example/wire", "https://new.example"
	s := &movedStore{urls: []string{before}, subscribed: map[string]bool{before + "/feed/production": true}}
	c := hub.NewCatalog(s, hub.CatalogOptions{PublicURL: now, Republished: noFeeds{}, Outgoing: outgoing{now + "/feed/production": "production"}})
	topics := func() (all []string) {
		for _, served := range c.Served() {
			all = append(all, served.Topic)
		}
		return all
	}
	resolve := func(topic, want string) {
		t.Helper()
		if got, _ := c.ResolveTopic(t.Context(), topic); got != want {
			t.Errorf("%s is %q, want %q", topic, got, want)
		}
	}
	resolve(before+"/feed/production", before+"/feed/production")
	resolve(now+"/feed/production", now+"/feed/production")
	resolve(before+"/feed/other", "")
	if got := topics(); len(got) != 2 || got[1] != before+"/feed/production" {
		t.Errorf("distributed are %v", got)
	}
	if err := c.UpdateAliases(t.Context(), []feed.Topic{{URL: before + "/feed/production"}}); err != nil || len(s.urls) != 2 {
		t.Errorf("the public URLs are %v, %v", s.urls, err)
	}
	s.subscribed = nil // the leases have ended
	resolve(before+"/feed/production", "")
	for range 2 {
		if err := c.UpdateAliases(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := topics(); len(got) != 1 || len(s.urls) != 1 {
		t.Errorf("distributed are %v, the public URLs are %v", got, s.urls)
	}
}
