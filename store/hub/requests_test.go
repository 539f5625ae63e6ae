package hub_test

import (
	"cmp"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestPendingRequestsDoNotChangeTheSubscription(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		id := subscribed(t, s, now, callbackOf(1))
		ask := func(secret string) error {
			return s.AddHubRequest(t.Context(), feed.HubRequest{
				Mode: feed.HubSubscribe, Topic: harbour, Callback: callbackOf(1), Secret: secret, Lease: 2 * time.Hour, Created: now.Now(),
			}, 2)
		}
		for i, want := range []error{nil, nil, nil, feed.ErrConflict} { // the second one repeats the first
			if err := ask([]string{"new", "new", "newer", "newest"}[i]); !errors.Is(err, want) {
				t.Errorf("request %d: %v, want %v", i, err, want)
			}
			now.Advance(time.Second)
		}
		all, next, err := s.ClaimHubRequests(t.Context(), 10, time.Minute)
		if err != nil || len(all) != 2 || !next.Equal(now.Now().Add(time.Minute)) {
			t.Fatalf("claimed %v, next %v, %v", all, next, err)
		}
		if again, _, _ := s.ClaimHubRequests(t.Context(), 10, time.Minute); len(again) != 0 {
			t.Errorf("claimed twice: %v", again)
		}
		if got, _ := s.Subscription(t.Context(), id); got.Secret != secret {
			t.Error("the secret changed before the request was granted")
		}
		if err := s.DropHubRequest(t.Context(), all[1]); err != nil {
			t.Error(err)
		}
		if err := s.RetryHubRequest(t.Context(), all[0], 1, now.Now().Add(5*time.Minute)); err != nil {
			t.Error(err)
		}
		if err := s.GrantHubRequest(t.Context(), all[0], now.Now()); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("granting a request that was updated since: %v", err)
		}
		now.Advance(5 * time.Minute)
		all, _, err = s.ClaimHubRequests(t.Context(), 10, time.Minute)
		if err != nil || len(all) != 1 || all[0].Tries != 1 || all[0].Secret != "new" {
			t.Fatalf("after a delay: %+v, %v", all, err)
		}
		for _, want := range []error{nil, nil} { // the second one as after a lost reply
			if err := s.GrantHubRequest(t.Context(), all[0], now.Now()); !errors.Is(err, want) {
				t.Error(err)
			}
		}
		if got, _ := s.Subscription(t.Context(), id); got.Secret != "new" || got.Lease != 2*time.Hour {
			t.Errorf("after the renewal: %+v", got)
		}
	})
}

func TestGrantedSubscriptionHasTheRequestedForm(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		forms := []feed.Form{{}, {JSON: true}, {Filter: "any=<a> & \"b\"\n!title=\u2028é"}}
		for _, form := range forms {
			err := s.AddHubRequest(t.Context(), feed.HubRequest{
				Mode: feed.HubSubscribe, Topic: harbour, Callback: callbackOf(1), Form: form, Lease: time.Hour,
			}, len(forms))
			if err != nil {
				t.Fatal(err)
			}
			now.Advance(time.Second)
		}
		all, _, err := s.ClaimHubRequests(t.Context(), 10, time.Minute)
		if err != nil || len(all) != len(forms) {
			t.Fatalf("claimed %+v, %v", all, err)
		}
		for i, r := range all {
			if err := s.GrantHubRequest(t.Context(), r, now.Now()); err != nil {
				t.Fatal(err)
			}
			if sub, err := s.Subscription(t.Context(), r.Subscription()); err != nil || sub.Form != forms[i] || r.Form != forms[i] {
				t.Errorf("request %d of %+v gives %+v, %v", i, forms[i], sub.Form, err)
			}
		}
	})
}

func TestGrantDeletesEarlierRequests(t *testing.T) {
	for _, mode := range []feed.HubMode{feed.HubSubscribe, feed.HubUnsubscribe} {
		t.Run(string(mode), func(t *testing.T) {
			each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
				id := subscribed(t, s, now, callbackOf(1))
				old := request(t, s, feed.HubSubscribe, harbour, callbackOf(1))
				if err := s.RetryHubRequest(t.Context(), old, old.Tries+1, now.Now().Add(time.Hour)); err != nil {
					t.Fatal(err)
				}
				now.Advance(time.Second)
				newer := request(t, s, mode, harbour+"?", callbackOf(1)) // another topic, so another subscription
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
					t.Fatalf("%+v are left, %v; want the request for the other topic", all, err)
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

func TestRepetitionMakesOnlyAFailedRequestDue(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		ask := feed.HubRequest{Mode: feed.HubSubscribe, Topic: harbour, RequestedTopic: harbour + "#", Callback: callbackOf(1)}
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
		if err := s.RetryHubRequest(t.Context(), claim(1), 0, now.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		add()
		claim(0) // the request has not failed
		now.Advance(time.Hour)
		r := claim(1)
		if r.Tries != 0 || r.RequestedTopic != ask.RequestedTopic {
			t.Errorf("got %+v", r)
		}
		if err := s.RetryHubRequest(t.Context(), r, r.Tries+1, now.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		claim(0)
		add()
		claim(1)
	})
}

func TestKilledDaemonReclaimsItsRequests(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, dial core.DialFunc) {
		now := storetest.NewClock()
		of := func(owner string) stores {
			return newStores(storetest.DB(t, core.Options{Dial: dial, Now: now.Now, Sharded: storetest.Sharded(), Owner: owner}))
		}
		killed, other, unnamed := of("a"), of("ab"), of("")
		claim := func(s stores) []feed.HubRequest {
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
		must(killed.GrantHubRequest(t.Context(), all[1], now.Time))
		must(killed.RetryHubRequest(t.Context(), all[2], 1, now.Time.Add(time.Minute)))
		cut := all[3].ID

		for _, s := range []stores{other, unnamed} {
			if n, err := s.ReclaimHubRequests(t.Context()); n != 0 || err != nil {
				t.Errorf("another daemon reclaimed %d, %v", n, err)
			}
		}
		if n, err := killed.ReclaimHubRequests(t.Context()); n != 1 || err != nil {
			t.Errorf("reclaimed %d, %v; want the one that was not updated", n, err)
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

func TestPendingRequestsAreListed(t *testing.T) {
	each(t, func(t *testing.T, s stores, _ *storetest.Clock, _ *storetest.Redigo) {
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

func TestRequestKeepsItsClientAndLane(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		for _, ask := range []feed.HubRequest{
			{Client: "2001:db8:1:2::", Lane: feed.LaneKnownHost},
			{Client: "198.51.100.1"}, // repeats the first
			{Topic: harbour + "?"},   // as earlier versions stored it, without both
		} {
			ask.Mode, ask.Callback = feed.HubSubscribe, callbackOf(1)
			ask.Topic = cmp.Or(ask.Topic, harbour)
			if err := s.AddHubRequest(t.Context(), ask, 3); err != nil {
				t.Fatal(err)
			}
		}
		for tries := range 2 {
			all, _, err := s.ClaimHubRequests(t.Context(), 10, time.Minute)
			if err != nil || len(all) != 2 {
				t.Fatalf("claimed %+v, %v, want 2", all, err)
			}
			slices.SortFunc(all, func(a, b feed.HubRequest) int { return cmp.Compare(a.Topic, b.Topic) })
			for i, want := range []feed.HubRequest{{Client: "2001:db8:1:2::", Lane: feed.LaneKnownHost}, {}} {
				if r := all[i]; r.Client != want.Client || r.Lane != want.Lane || r.Tries != tries || r.Created.IsZero() {
					t.Errorf("got %+v, want %d tries, client %q and lane %d", r, tries, want.Client, want.Lane)
				}
				if err := s.RetryHubRequest(t.Context(), all[i], tries+1, now.Now()); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
