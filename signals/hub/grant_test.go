package hub_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// closingStore removes a topic immediately before a subscription to it is stored.
type closingStore struct {
	store.Nouns
	topics *topicList
}

func (s *closingStore) GrantHubRequest(ctx context.Context, r feed.HubRequest, from time.Time) error {
	if r.Mode == feed.HubSubscribe {
		s.topics.remove(r.Topic)
	}
	return s.Nouns.GrantHubRequest(ctx, r, from)
}

func TestTopicRemovedDuringVerificationIsAddedAgainOrDenied(t *testing.T) {
	for name, opens := range map[string]bool{"opened": true, "denied": false} {
		t.Run(name, func(t *testing.T) {
			g := newFrontHarness(t, nil)
			opts := hub.FrontOptions{Now: g.clock.Now}
			if opens {
				opts.AddTopic = func(_ context.Context, topic string) error {
					g.topics.set(topic, "text/plain", "a")
					return nil
				}
			}
			denied := 0
			g.web.answer = func(req *http.Request) (*http.Response, error) {
				if req.URL.Query().Get("hub.mode") == "denied" {
					denied++
				}
				return respond(req, http.StatusOK)
			}
			front := hub.NewFront(&closingStore{g.store, g.topics}, g.topics, g.web, opts)
			if code := g.subscribe("", "http://reader.example/cb"); code != http.StatusAccepted {
				t.Fatalf("got %d", code)
			}
			for range 3 {
				if _, err := front.Poll(t.Context()); err != nil {
					t.Fatal(err)
				}
				g.clock.advance(time.Minute)
			}
			_, err := g.store.Subscription(t.Context(), feed.SubscriptionID(harbour, "http://reader.example/cb"))
			_, there := g.topics.get(harbour)
			if opens && (err != nil || !there || denied > 0) {
				t.Errorf("the subscription: %v; its topic is there: %v; denied %d times", err, there, denied)
			}
			if !opens && (!errors.Is(err, feed.ErrNotFound) || denied != 1) {
				t.Errorf("the subscription: %v; denied %d times", err, denied)
			}
		})
	}
}

// A daemon that was killed during a verification repeats it after its restart, before the lease of the request ends.
func TestRestartedDaemonRepeatsVerificationsAtOnce(t *testing.T) {
	g := newFrontHarness(t, nil)
	s := storetest.New(t, store.Options{Dial: storetest.Redis(t), Now: g.clock.Now, Owner: "a"})
	asked := feed.HubRequest{Mode: feed.HubSubscribe, Topic: harbour, Callback: "http://reader.example/cb", Lease: time.Hour}
	if err := s.Hub.AddHubRequest(t.Context(), asked, 3); err != nil {
		t.Fatal(err)
	}
	if all, _, err := s.Hub.ClaimHubRequests(t.Context(), 10, 20*time.Second); err != nil || len(all) != 1 { // and is killed
		t.Fatalf("claimed %v, %v", all, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- hub.NewFront(s.Nouns(), g.topics, g.web, hub.FrontOptions{Now: g.clock.Now}).Run(ctx) }()
	eventually(t, "asked again", func() bool { return g.web.count("reader.example") == 1 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
