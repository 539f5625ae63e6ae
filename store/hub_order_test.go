package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestTheNewestWishHolds(t *testing.T) {
	for _, mode := range []feed.HubMode{feed.HubSubscribe, feed.HubUnsubscribe} {
		t.Run(string(mode), func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
				id := joined(t, s, now, callbackOf(1))
				old := request(t, s, feed.HubSubscribe, harbour, callbackOf(1))
				if err := s.DelayHubRequest(t.Context(), old, now.Now().Add(time.Hour)); err != nil {
					t.Fatal(err)
				}
				now.Advance(time.Second)
				newer := request(t, s, mode, harbour+"?", callbackOf(1)) // of another topic: another subscription
				newest := feed.HubRequest{Mode: mode, Topic: harbour, Callback: callbackOf(1), Secret: "newest", Lease: time.Hour}
				if err := s.AddHubRequest(t.Context(), newest, 3); err != nil {
					t.Fatal(err)
				}
				all, _, err := s.ClaimHubRequests(t.Context(), 10, time.Minute)
				if err != nil || len(all) != 1 {
					t.Fatalf("claimed %v, %v", all, err)
				}
				if err := s.GrantHubRequest(t.Context(), all[0], now.Now()); err != nil {
					t.Fatal(err)
				}
				now.Advance(time.Hour)
				all, _, err = s.ClaimHubRequests(t.Context(), 10, time.Minute)
				if err != nil || len(all) != 1 || all[0].ID != newer.ID {
					t.Fatalf("left are %+v, %v; want the one of the other topic", all, err)
				}
				got, err := s.Subscription(t.Context(), id)
				if subscribed := err == nil && got.Secret == "newest"; subscribed != (mode == feed.HubSubscribe) ||
					err != nil && !errors.Is(err, feed.ErrNotFound) {
					t.Errorf("got %+v, %v", got, err)
				}
			})
		})
	}
}

func TestPostponedRequestsAreNotTried(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		ask := feed.HubRequest{Mode: feed.HubSubscribe, Topic: harbour, As: harbour + "#", Callback: callbackOf(1)}
		claim := func(want int) (r feed.HubRequest) {
			t.Helper()
			all, _, err := s.ClaimHubRequests(t.Context(), 10, time.Minute)
			if err != nil || len(all) != want {
				t.Fatalf("claimed %+v, %v, want %d", all, err, want)
			}
			if want > 0 {
				r = all[0]
			}
			return r
		}
		add := func() {
			t.Helper()
			if err := s.AddHubRequest(t.Context(), ask, 3); err != nil {
				t.Fatal(err)
			}
		}
		add()
		if err := s.PostponeHubRequest(t.Context(), claim(1), now.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		add()
		claim(0) // its turn does not come sooner by asking twice
		now.Advance(time.Hour)
		r := claim(1)
		if r.Tries != 0 || r.As != ask.As {
			t.Errorf("got %+v", r)
		}
		if err := s.DelayHubRequest(t.Context(), r, now.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		claim(0)
		add()
		claim(1) // but after a failure it does
	})
}
