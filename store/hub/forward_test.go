package hub_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// After the clock was set back, deliveries that failed before and after it keep their delay, and interrupted work is due.
func TestClockSetBackBringsDeliveriesAndRequestsForward(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		const lease, delay = 30 * time.Second, 10 * time.Minute
		before, after := subscribed(t, s, now, callbackOf(1)), subscribed(t, s, now, callbackOf(2))
		interrupted := subscribed(t, s, now, callbackOf(3))
		distribute(t, s, "", "1-0", false)
		fail := func(d feed.Delivery) {
			finish(t, s, feed.DeliveryResult{
				Delivery: d, Outcome: feed.Failed, Next: now.Now().Add(delay),
				Health: feed.Health{Failures: 1, Since: now.Now(), Last: now.Now(), Reason: "5xx"},
			})
		}
		claimed := make(map[string]feed.Delivery)
		for _, d := range deliveries(t, s, everything()) {
			claimed[d.Subscription.ID] = d
		}
		fail(claimed[before])
		r := request(t, s, feed.HubSubscribe, harbour, callbackOf(4))
		if err := s.RetryHubRequest(t.Context(), r, 1, now.Now().Add(delay)); err != nil {
			t.Fatal(err)
		}
		forward := func(want int) {
			t.Helper()
			if n, err := s.BringForward(t.Context(), lease); n != want || err != nil {
				t.Errorf("brought %d forward, %v; want %d", n, err, want)
			}
		}
		forward(0)
		now.Advance(-24 * time.Hour)
		fail(claimed[after])
		forward(3)
		forward(0)
		if all := deliveries(t, s, everything()); len(all) != 1 || all[0].Subscription.ID != interrupted {
			t.Errorf("due at once: %+v", all)
		}
		if all, _, err := s.ClaimHubRequests(t.Context(), 10, time.Minute); len(all) != 1 || err != nil {
			t.Errorf("%d requests are due at once, %v", len(all), err)
		}
		for _, id := range []string{before, after} {
			sub, err := s.Subscription(t.Context(), id)
			if h := sub.Health; err != nil || h.Failures != 1 || h.Reason != "5xx" || !h.Last.Equal(now.Now()) || !h.Since.Equal(now.Now()) ||
				!h.Next.Equal(now.Now().Add(delay)) {
				t.Errorf("after the failure: %+v, %v", h, err)
			}
		}
	})
}

// A delivery may be claimed while times are corrected, by this daemon or by one whose clock is ahead.
func TestClaimOfTheMomentIsNotBroughtForward(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		subscribed(t, s, now, callbackOf(1))
		distribute(t, s, "", "1-0", false)
		now.Advance(time.Second)
		claim := everything()
		if all := deliveries(t, s, claim); len(all) != 1 {
			t.Fatalf("claimed %d", len(all))
		}
		now.Advance(-time.Second)
		if n, err := s.BringForward(t.Context(), claim.Lease); n != 0 || err != nil {
			t.Errorf("brought %d forward, %v", n, err)
		}
	})
}
