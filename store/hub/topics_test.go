package hub_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestTopicsListTheirSubscriptions(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		for n := range 3 {
			subscribed(t, s, now, callbackOf(n))
		}
		distribute(t, s, "", "1-0", false)
		d := deliveries(t, s, feed.DeliveryClaim{Limit: 1, PerHost: 1, Lease: time.Minute})
		finish(t, s, feed.DeliveryResult{Delivery: d[0], Outcome: feed.Delivered})
		all, err := s.Topics(t.Context())
		want := []feed.Topic{{
			ID: feed.TopicID(harbour), URL: harbour, Version: d[0].Version, Changed: now.Now(), Subscribers: 3, Waiting: 2,
		}}
		if diff := cmp.Diff(want, all); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		page, err := s.Subscriptions(t.Context(), feed.TopicID(harbour), "", 2)
		if err != nil || len(page) != 2 {
			t.Fatalf("first page: %v, %v", page, err)
		}
		rest, err := s.Subscriptions(t.Context(), "", page[1].ID, 2)
		if err != nil || len(rest) != 1 || rest[0].ID <= page[1].ID {
			t.Errorf("second page: %v, %v", rest, err)
		}
		state, err := s.HubState(t.Context())
		if diff := cmp.Diff(feed.HubState{Subscriptions: 3, Topics: 1, Ready: 2}, state); diff != "" || err != nil {
			t.Errorf("state %v (-want +got):\n%s", err, diff)
		}
	})
}

func TestTopicsAreInTheOrderOfTheirURLs(t *testing.T) {
	each(t, func(t *testing.T, s stores, _ *storetest.Clock, _ *storetest.Redigo) {
		var want []string
		for n := range 20 {
			want = append(want, fmt.Sprintf("http://x.example/%02d", n))
			sub := feed.Subscription{Topic: want[n], Callback: callbackOf(n), Kind: feed.KindWebSub}
			if err := s.Subscribe(t.Context(), &sub); err != nil {
				t.Fatal(err)
			}
		}
		all, err := s.Topics(t.Context())
		view, failed := s.HubView(t.Context(), "", "", 1)
		for _, topics := range [][]feed.Topic{all, view.Topics} {
			var got []string
			for _, topic := range topics {
				got = append(got, topic.URL)
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil || failed != nil {
				t.Errorf("%v, %v (-want +got):\n%s", err, failed, diff)
			}
		}
	})
}

func TestTopicIsIdleAfterAWhileWithoutSubscriptions(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		const other, gone = "http://other.example/feed", "http://gone.example/feed"
		idle := func(want ...string) {
			t.Helper()
			got, err := s.IdleTopics(t.Context(), []string{harbour, other}, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("idle (-want +got):\n%s", diff)
			}
		}
		if _, err := s.IdleTopics(t.Context(), []string{gone}, time.Hour); err != nil {
			t.Fatal(err)
		}
		id := subscribed(t, s, now, callbackOf(1))
		idle()
		now.Advance(59 * time.Minute)
		idle()
		now.Advance(time.Minute)
		idle(other)
		if err := s.Unsubscribe(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		idle(other)
		now.Advance(59 * time.Minute)
		id = subscribed(t, s, now, callbackOf(1))
		idle(other)
		if err := s.Unsubscribe(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Hour)
		idle(other) // a new hour begins
		now.Advance(time.Hour)
		idle(harbour, other)
		if n := raw.Int("HLEN", "hub:idle"); n != 2 {
			t.Errorf("%d topics are stored, want the two that are named", n)
		}
	})
}

func TestHubsToPingAreNoSubscribers(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		subscribed(t, s, now, callbackOf(1))
		ping := feed.Subscription{Topic: harbour, Callback: "http://other.example/hub", Kind: feed.KindPing}
		for range 2 {
			if err := s.Subscribe(t.Context(), &ping); err != nil {
				t.Fatal(err)
			}
		}
		check := func(waiting int) {
			t.Helper()
			topic, err := s.Topic(t.Context(), feed.TopicID(harbour))
			if topic.Subscribers != 1 || topic.Waiting != waiting || err != nil {
				t.Errorf("%d subscribers, %d waiting, want 1 and %d; %v", topic.Subscribers, topic.Waiting, waiting, err)
			}
			counts, err := s.HubCounts(t.Context(), &feed.HubRequest{Topic: harbour, Callback: callbackOf(1)})
			if counts.OfTopic != 1 || err != nil {
				t.Errorf("%d subscribers are counted, %v", counts.OfTopic, err)
			}
		}
		check(0)
		distribute(t, s, "", "1-0", false)
		check(1)
		if err := s.Unsubscribe(t.Context(), ping.ID); err != nil {
			t.Fatal(err)
		}
		check(1)
	})
}
