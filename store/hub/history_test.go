package hub_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestVersionsCountTheResultsOfTheirDeliveries(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		for n := range 4 {
			subscribed(t, s, now, callbackOf(n))
		}
		distribute(t, s, "", "1-0", false)
		created := now.Now()
		all := deliveries(t, s, everything())
		next := now.Now().Add(time.Minute)
		results := []feed.DeliveryResult{
			{Delivery: all[0], Outcome: feed.Delivered, Attempt: feed.Attempt{Reason: "2xx"}},
			{Delivery: all[1], Outcome: feed.Failed, Attempt: feed.Attempt{Reason: "tls"}, Health: feed.Health{Failures: 1}, Next: next},
			{Delivery: all[2], Outcome: feed.Failed, Attempt: feed.Attempt{Reason: "5xx"}, Health: feed.Health{Failures: 9}}, // permanently
			{Delivery: all[3], Outcome: feed.Delivered},                                                                      // omitted by a filter
		}
		finish(t, s, results...)
		finish(t, s, results...) // the claims have ended
		now.Advance(time.Minute)
		again := deliveries(t, s, everything())
		finish(t, s, feed.DeliveryResult{Delivery: again[0], Outcome: feed.Delivered, Attempt: feed.Attempt{Reason: "2xx"}})
		want := []feed.TopicVersion{{
			Version: all[0].Version, Time: created, Size: len("body of 1-0"), Entries: 1, Delivered: 2, Failed: 1,
			Causes: map[string]int{"tls": 1, "5xx": 1},
		}}
		h, err := s.TopicHistory(t.Context(), feed.TopicID(harbour))
		if diff := cmp.Diff(want, h.Versions); diff != "" || h.URL != harbour || err != nil {
			t.Errorf("%s, %v (-want +got):\n%s", h.URL, err, diff)
		}
		for n := range 60 {
			distribute(t, s, fmt.Sprintf("%d-0", n+1), fmt.Sprintf("%d-0", n+2), false)
		}
		h, err = s.TopicHistory(t.Context(), feed.TopicID(harbour))
		if len(h.Versions) != 50 || h.Versions[0].Version != all[0].Version+60 || err != nil {
			t.Errorf("%d versions, %v", len(h.Versions), err)
		}
		if n := raw.Int("TTL", "hub:topic:"+feed.TopicID(harbour)+":versions"); n <= 0 {
			t.Errorf("the history has the TTL %d", n)
		}
	})
}

func TestSubscribersAreCountedByTheDay(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		sub := feed.Subscription{Topic: harbour, Callback: callbackOf(1), Kind: feed.KindWebSub}
		ping := feed.Subscription{Topic: harbour, Callback: callbackOf(2), Kind: feed.KindPing}
		for _, one := range []*feed.Subscription{&sub, &ping} {
			if err := s.Subscribe(t.Context(), one); err != nil {
				t.Fatal(err)
			}
		}
		history := func() []feed.TopicDay {
			t.Helper()
			if err := s.CountSubscribers(t.Context()); err != nil {
				t.Fatal(err)
			}
			h, err := s.TopicHistory(t.Context(), feed.TopicID(harbour))
			if err != nil {
				t.Fatal(err)
			}
			return h.Days
		}
		day := func() string { return now.Now().UTC().Format(time.DateOnly) }
		want := []feed.TopicDay{{Day: day(), Subscribers: 1}}
		if diff := cmp.Diff(want, history()); diff != "" {
			t.Errorf("first day (-want +got):\n%s", diff)
		}
		if err := s.Unsubscribe(t.Context(), ping.ID); err != nil {
			t.Fatal(err)
		}
		more := feed.Subscription{Topic: harbour, Callback: callbackOf(3), Kind: feed.KindWebSub}
		if err := s.Subscribe(t.Context(), &more); err != nil {
			t.Fatal(err)
		}
		now.Advance(3 * 24 * time.Hour)
		want = append(want, feed.TopicDay{Day: day(), Subscribers: 2})
		if diff := cmp.Diff(want, history()); diff != "" {
			t.Errorf("a later day (-want +got):\n%s", diff)
		}
		now.Advance(88 * 24 * time.Hour)
		want = []feed.TopicDay{want[1], {Day: day(), Subscribers: 2}}
		if diff := cmp.Diff(want, history()); diff != "" {
			t.Errorf("after 91 days (-want +got):\n%s", diff)
		}
		if n := raw.Int("HLEN", "hub:topic:"+feed.TopicID(harbour)+":days"); n != 2 {
			t.Errorf("%d days are stored", n)
		}
	})
}
