package hub_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestGrantStoresTheSubscription(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		now.Advance(867 * time.Millisecond)
		id := subscribed(t, s, now, callbackOf(1))
		got, err := s.Subscription(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		want := feed.Subscription{
			ID: id, Topic: harbour, Callback: callbackOf(1), Kind: feed.KindWebSub, Secret: secret, Lease: time.Hour, Since: now.Now(),
			Until: now.Now().Add(time.Hour), Next: now.Now().UnixMilli() + 1,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("subscription (-want +got):\n%s", diff)
		}
		counts, err := s.HubCounts(t.Context(), &feed.HubRequest{Topic: harbour, Callback: callbackOf(1)})
		if err != nil || counts != (feed.HubCounts{Total: 1, OfTopic: 1, OfHost: 1}) {
			t.Errorf("counts are %+v, %v", counts, err)
		}
	})
}

func TestEndedSubscriptionLeavesNoKeys(t *testing.T) {
	ends := map[string]func(t *testing.T, s stores, now *storetest.Clock){
		"unsubscribed": func(t *testing.T, s stores, now *storetest.Clock) {
			if err := s.GrantHubRequest(t.Context(), request(t, s, feed.HubUnsubscribe, harbour, callbackOf(1)), now.Now()); err != nil {
				t.Error(err)
			}
		},
		"lease over": func(t *testing.T, s stores, now *storetest.Clock) {
			now.Advance(time.Hour - time.Second)
			if n, err := s.ExpireSubscriptions(t.Context(), 10); n != 0 || err != nil {
				t.Errorf("expired early: %d, %v", n, err)
			}
			now.Advance(time.Second)
			if n, err := s.ExpireSubscriptions(t.Context(), 10); n != 1 || err != nil {
				t.Errorf("expired: %d, %v", n, err)
			}
		},
		"gone": func(t *testing.T, s stores, _ *storetest.Clock) {
			distribute(t, s, "", "1-0", false)
			if err := s.RemoveSubscription(t.Context(), deliveries(t, s, everything())[0]); err != nil {
				t.Error(err)
			}
		},
		"removed by a person": func(t *testing.T, s stores, _ *storetest.Clock) {
			if err := s.Unsubscribe(t.Context(), feed.SubscriptionID(harbour, callbackOf(1))); err != nil {
				t.Error(err)
			}
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
				id := subscribed(t, s, now, callbackOf(1))
				distribute(t, s, "", "0-1", false)
				distribute(t, s, "0-1", "0-2", false)
				d := deliveries(t, s, everything())[0]
				finish(t, s, feed.DeliveryResult{Delivery: d, Outcome: feed.Failed, Health: feed.Health{Failures: 1, Since: now.Now()}, Next: now.Now(),
					Attempt: feed.Attempt{Time: now.Now(), Reason: "tls"}, MaxAttempts: 1})
				raw.Do("DEL", "hub:cursor")
				raw.Do("HSET", "hub:replays", id, 1)
				if err := s.CountSubscribers(t.Context()); err != nil {
					t.Fatal(err)
				}
				end(t, s, now)
				if _, err := s.Subscription(t.Context(), id); !errors.Is(err, feed.ErrNotFound) {
					t.Errorf("it was not removed: %v", err)
				}
				for _, key := range raw.Keys("hub:*") {
					past := strings.HasSuffix(key, ":versions") || strings.HasSuffix(key, ":days")
					if ttl := raw.Int("TTL", key); past && ttl > 0 && ttl <= 25*60*60 || key == "hub:cursor" || key == "hub:claims" {
						continue
					}
					t.Errorf("%s is left", key)
				}
			})
		})
	}
}

func TestPausedSubscriptionGetsItsVersionsAfterThePause(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		id := subscribed(t, s, now, callbackOf(1))
		if err := s.PauseSubscription(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		distribute(t, s, "", "1-0", false)
		if all := deliveries(t, s, everything()); len(all) != 0 {
			t.Fatalf("delivered while paused: %+v", all)
		}
		if err := s.ResumeSubscription(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if all := deliveries(t, s, everything()); len(all) != 1 {
			t.Errorf("after the pause: %+v", all)
		}
	})
}

func TestSubscriptionsOfACallbackAreThoseOfAllTopics(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		want := []string{subscribed(t, s, now, callbackOf(1))}
		subscribed(t, s, now, callbackOf(4)) // on the same host
		other := feed.Subscription{Topic: harbour + "2", Callback: callbackOf(1), Kind: feed.KindWebSub}
		if err := s.Subscribe(t.Context(), &other); err != nil {
			t.Fatal(err)
		}
		want = append(want, other.ID)
		slices.Sort(want)
		var got []string
		all, err := s.SubscriptionsOf(t.Context(), callbackOf(1))
		for _, sub := range all {
			got = append(got, sub.ID)
		}
		if !slices.Equal(got, want) || err != nil {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
		if none, err := s.SubscriptionsOf(t.Context(), callbackOf(2)); len(none) != 0 || err != nil {
			t.Errorf("of another callback: %v, %v", none, err)
		}
	})
}
