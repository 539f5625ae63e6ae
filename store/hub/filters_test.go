package hub_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestTopicsOfWebhooksAreListedWhileTheyHaveSubscriptions(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		listed := func(want ...string) {
			t.Helper()
			got, err := s.FilterTopics(t.Context())
			if diff := cmp.Diff(append([]string{}, want...), got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		}
		all, posts := feed.SignalFilter{}.Topic(), feed.SignalFilter{Kinds: []feed.SignalKind{feed.PostCreated}, Source: harbour}.Topic()
		var ids []string
		for _, topic := range []string{all, posts, posts} {
			sub := feed.Subscription{Topic: topic, Callback: callbackOf(len(ids)), Kind: feed.KindWebhook, Secret: feed.NewWebhookSecret()}
			if err := s.Subscribe(t.Context(), &sub); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, sub.ID)
		}
		subscribed(t, s, now, callbackOf(9))
		listed(all, posts)

		raw.Do("DEL", raw.Keys("*hub:filters")[0]) // layout 3 had no such key
		listed()
		for range 2 { // the second time there is nothing left to do
			if err := s.Upgrade(t.Context()); err != nil {
				t.Fatal(err)
			}
			listed(all, posts)
		}
		for i, left := range [][]string{{posts}, {posts}, nil} {
			if err := s.Unsubscribe(t.Context(), ids[i]); err != nil {
				t.Fatal(err)
			}
			listed(left...)
		}
	})
}
