package hub_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestHubViewMatchesTheLists(t *testing.T) {
	each(t, func(t *testing.T, s stores, _ *storetest.Clock, _ *storetest.Redigo) {
		for i := range 3 {
			for _, topic := range []string{harbour, "http://quay.example/"} {
				sub := feed.Subscription{Topic: topic, Callback: fmt.Sprintf("http://c%d.example/", i), Kind: feed.KindWebSub, Secret: "s"}
				if err := s.Subscribe(t.Context(), &sub); err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					if err := s.PauseSubscription(t.Context(), sub.ID); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		want, err := s.Subscriptions(t.Context(), feed.TopicID(harbour), "", 2)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i].Next = 0
		}
		view, err := s.HubView(t.Context(), feed.TopicID(harbour), "", 2)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, view.Subscriptions); diff != "" || !view.More || view.Counts.Subscriptions != 6 {
			t.Errorf("subscriptions (-want +got), %+v:\n%s", view.Counts, diff)
		}
		view, err = s.HubView(t.Context(), "", view.Subscriptions[1].ID, 10)
		if err != nil || view.More || len(view.Topics) != 2 || view.Topics[0].Subscribers != 3 {
			t.Errorf("got %+v, %v", view, err)
		}
		all, err := s.Subscriptions(t.Context(), "", "", 10)
		if err != nil || len(all) != 6 {
			t.Errorf("%d subscriptions, %v", len(all), err)
		}
	})
}
