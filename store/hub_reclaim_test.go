package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestAKilledDaemonGetsItsHubRequestsBackAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, dial store.DialFunc) {
		now := newClock()
		killed := open(t, store.Options{Dial: dial, Now: now.Now, Owner: "a"})
		other := open(t, store.Options{Dial: dial, Now: now.Now, Owner: "ab"})
		nobody := open(t, store.Options{Dial: dial, Now: now.Now})
		claim := func(s *store.Store) []feed.HubRequest {
			t.Helper()
			all, _, err := s.ClaimHubRequests(t.Context(), 10, 20*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		for n := range 4 {
			must(killed.AddHubRequest(t.Context(), feed.HubRequest{Mode: feed.HubSubscribe, Topic: harbour, Callback: callbackOf(n), Lease: time.Hour}, 3))
		}
		all := claim(killed)
		if len(all) != 4 {
			t.Fatalf("claimed %d", len(all))
		}
		must(killed.DropHubRequest(t.Context(), all[0]))
		must(killed.GrantHubRequest(t.Context(), all[1], now.now))
		must(killed.DelayHubRequest(t.Context(), all[2], now.now.Add(time.Minute)))
		cut := all[3].ID

		for _, s := range []*store.Store{other, nobody} {
			if n, err := s.ReclaimHubRequests(t.Context()); n != 0 || err != nil {
				t.Errorf("another daemon reclaimed %d, %v", n, err)
			}
		}
		if n, err := killed.ReclaimHubRequests(t.Context()); n != 1 || err != nil {
			t.Errorf("reclaimed %d, %v; want the one that was not written", n, err)
		}
		if got := claim(killed); len(got) != 1 || got[0].ID != cut {
			t.Errorf("claimed %+v", got)
		}
		now.Advance(19 * time.Second)
		if got := claim(other); len(got) != 0 {
			t.Errorf("another daemon has claimed %+v before the end of the claim", got)
		}
		now.Advance(time.Second)
		if got := claim(other); len(got) != 1 || got[0].ID != cut {
			t.Errorf("another daemon has claimed %+v after it", got)
		}
		if n, err := killed.ReclaimHubRequests(t.Context()); n != 0 || err != nil {
			t.Errorf("reclaimed %d that another daemon has claimed since, %v", n, err)
		}
	})
}

func TestRequestsOfASubscriptionAreListedWhileTheyWait(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		first := request(t, s, feed.HubSubscribe, harbour, callbackOf(1))
		second := request(t, s, feed.HubUnsubscribe, harbour, callbackOf(1))
		request(t, s, feed.HubSubscribe, harbour, callbackOf(2))
		for _, want := range [][]feed.HubRequest{{first, second}, {second}, nil} {
			got, err := s.HubRequests(t.Context(), first.Subscription())
			if err != nil || !slices.Equal(got, want) && len(got)+len(want) > 0 {
				t.Errorf("listed %+v, %v, want %+v", got, err, want)
			}
			if len(want) > 0 {
				if err := s.DropHubRequest(t.Context(), want[0]); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
