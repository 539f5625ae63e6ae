package delivery_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// A redirect of a subscriber, a webhook or another hub is a failure: its target gets neither a signature nor a document.
func TestRedirectsOfDeliveriesAreNotFollowed(t *testing.T) {
	var contacts atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { contacts.Add(1) }))
	t.Cleanup(elsewhere.Close)
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.Header().Set("Location", strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)+"/taken")
		w.WriteHeader(status)
	}))
	t.Cleanup(home.Close)
	d := newHarness(t, storetest.Redis(t))
	var all []feed.Subscription
	var pings []string
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, kind := range []feed.SubscriptionKind{feed.KindWebSub, feed.KindWebhook, feed.KindPing} {
			sub := feed.Subscription{Topic: harbour, Callback: fmt.Sprintf("%s/%d/%s", home.URL, status, kind), Kind: kind, Lease: time.Hour}
			switch kind {
			case feed.KindWebSub:
				sub.Secret = "secret"
			case feed.KindWebhook:
				sub.Secret = whsec
			case feed.KindPing:
				pings = append(pings, sub.Callback)
			}
			if err := d.Hub.Subscribe(t.Context(), &sub); err != nil {
				t.Fatal(err)
			}
			all = append(all, sub)
		}
	}
	e, _ := d.run(delivery.Options{HubURL: "https://hub.example/hub", Pings: pings})
	d.news("<feed/>", true)
	for _, sub := range all {
		eventually(t, "failed: "+sub.Callback, func() bool {
			now, err := d.Hub.Subscription(t.Context(), sub.ID)
			return err == nil && now.Health.Reason == "3xx"
		})
		if sub.Kind == feed.KindWebhook {
			if status, class := e.Test(t.Context(), sub); class != "3xx" {
				t.Errorf("a test message to %s ended with %d, %s", sub.Callback, status, class)
			}
		}
	}
	if n := contacts.Load(); n > 0 {
		t.Errorf("%d requests reached another host", n)
	}
}
