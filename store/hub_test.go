package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// secret is any bytes.
const secret = "s\x00\xff\"é"

// request asks for a subscription to a topic as a subscriber does, and claims that request.
func request(t *testing.T, s *store.Store, mode feed.HubMode, topic, callback string) feed.HubRequest {
	t.Helper()
	r := feed.HubRequest{Mode: mode, Topic: topic, Callback: callback, Secret: secret, Lease: time.Hour}
	if err := s.AddHubRequest(t.Context(), r, 3); err != nil {
		t.Fatal(err)
	}
	all, _, err := s.ClaimHubRequests(t.Context(), 10, time.Minute)
	if err != nil || len(all) != 1 {
		t.Fatalf("claimed %v, %v", all, err)
	}
	return all[0]
}

// joined makes a subscription to the harbour, and returns its id.
func joined(t *testing.T, s *store.Store, now *clock, callback string) string {
	t.Helper()
	if err := s.GrantHubRequest(t.Context(), request(t, s, feed.HubSubscribe, harbour, callback), now.Now()); err != nil {
		t.Fatal(err)
	}
	return feed.SubscriptionID(harbour, callback)
}

// distribute makes a version of the harbour and queues it for all.
func distribute(t *testing.T, s *store.Store, from, to string, whole bool) {
	t.Helper()
	d := feed.Distribution{Topic: harbour, ContentType: "application/rss+xml", Body: []byte("body of " + to), Whole: whole, Entries: 1}
	if err := s.Distribute(t.Context(), from, to, []feed.Distribution{d}); err != nil {
		t.Fatal(err)
	}
	plan(t, s)
}

func plan(t *testing.T, s *store.Store) {
	t.Helper()
	for more := true; more; {
		var err error
		if _, more, err = s.PlanDeliveries(t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
	}
}

// wanted claims as much as there is.
func wanted() feed.Wanted { return feed.Wanted{Limit: 1000, PerHost: 1000, Lease: 30 * time.Second} }

func deliveries(t *testing.T, s *store.Store, w feed.Wanted) []feed.Delivery {
	t.Helper()
	all, _, _, err := s.ClaimDeliveries(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func settle(t *testing.T, s *store.Store, all ...feed.Settlement) (lost int) {
	t.Helper()
	lost, _, err := s.SettleDeliveries(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	return lost
}

func callbackOf(n int) string { return fmt.Sprintf("http://reader%d.example/cb/%d", n%3, n) }

func TestSubscriptionIsWhatWasGranted(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		now.Advance(867 * time.Millisecond)
		id := joined(t, s, now, callbackOf(1))
		got, err := s.Subscription(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		want := feed.Subscription{
			ID: id, Topic: harbour, Callback: callbackOf(1), Way: feed.WayWebSub, Secret: secret, Lease: time.Hour, Since: now.Now(),
			Until: now.Now().Add(time.Hour), Next: now.Now().UnixMilli() + 1,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("other subscription than was granted (-want +got):\n%s", diff)
		}
		counts, err := s.HubCounts(t.Context(), harbour, callbackOf(1))
		if err != nil || counts != (feed.HubCounts{Total: 1, OfTopic: 1, OfHost: 1}) {
			t.Errorf("counts are %+v, %v", counts, err)
		}
	})
}

func TestRequestsWaitApart(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		id := joined(t, s, now, callbackOf(1))
		ask := func(secret string) error {
			return s.AddHubRequest(t.Context(), feed.HubRequest{
				Mode: feed.HubSubscribe, Topic: harbour, Callback: callbackOf(1), Secret: secret, Lease: 2 * time.Hour, Asked: now.Now(),
			}, 2)
		}
		for i, want := range []error{nil, nil, nil, feed.ErrConflict} { // the second one is the first again
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
		if err := s.DelayHubRequest(t.Context(), all[0], now.Now().Add(5*time.Minute)); err != nil {
			t.Error(err)
		}
		if err := s.GrantHubRequest(t.Context(), all[0], now.Now()); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("granting a request that was delayed since: %v", err)
		}
		now.Advance(5 * time.Minute)
		all, _, err = s.ClaimHubRequests(t.Context(), 10, time.Minute)
		if err != nil || len(all) != 1 || all[0].Tries != 1 || all[0].Secret != "new" {
			t.Fatalf("after a delay: %+v, %v", all, err)
		}
		for _, want := range []error{nil, nil} { // the second time as after a lost answer
			if err := s.GrantHubRequest(t.Context(), all[0], now.Now()); !errors.Is(err, want) {
				t.Error(err)
			}
		}
		if got, _ := s.Subscription(t.Context(), id); got.Secret != "new" || got.Lease != 2*time.Hour {
			t.Errorf("after the renewal: %+v", got)
		}
	})
}

func TestVersionsComeInOrderAndOneAtATime(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		id := joined(t, s, now, callbackOf(1))
		first := now.Now().UnixMilli() + 1
		distribute(t, s, "", "1-0", false)
		distribute(t, s, "1-0", "2-0", false)
		if err := s.Distribute(t.Context(), "1-0", "2-0", nil); err != nil {
			t.Errorf("the same step again: %v", err)
		}
		if err := s.Distribute(t.Context(), "0-5", "1-5", nil); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("a step from elsewhere: %v", err)
		}
		for n := range int64(2) {
			all := deliveries(t, s, wanted())
			if len(all) != 1 || all[0].Version != first+n || all[0].Subscription.ID != id {
				t.Fatalf("claim %d: %+v", n, all)
			}
			if more := deliveries(t, s, wanted()); len(more) != 0 {
				t.Fatalf("claimed twice at a time: %+v", more)
			}
			body, err := s.Version(t.Context(), harbour, all[0].Version)
			if err != nil || string(body.Body) != fmt.Sprintf("body of %d-0", n+1) || body.ContentType != "application/rss+xml" {
				t.Errorf("version %d: %+v, %v", n, body, err)
			}
			if lost := settle(t, s, feed.Settlement{Delivery: all[0], Outcome: feed.Delivered}); lost != 0 {
				t.Error("the claim was lost")
			}
			if lost := settle(t, s, feed.Settlement{Delivery: all[0], Outcome: feed.Delivered}); lost != 1 {
				t.Error("a claim was settled twice")
			}
		}
		if got, _ := s.Subscription(t.Context(), id); got.Waiting || got.Next != first+2 {
			t.Errorf("after all: %+v", got)
		}
		if n := raw.Int("ZCARD", "hub:ready") + raw.Int("ZCARD", "hub:later"); n != 0 {
			t.Errorf("%d deliveries wait for nothing", n)
		}
		if ttl := raw.Int("TTL", "hub:body:"+feed.TopicID(harbour)+fmt.Sprintf(":%d", first)); ttl <= 0 {
			t.Errorf("the old version is kept for %d s", ttl)
		}
	})
}

func TestWholeVersionsReplaceThoseBefore(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		id := joined(t, s, now, callbackOf(1))
		distribute(t, s, "", "1-0", true)
		distribute(t, s, "1-0", "2-0", true)
		all := deliveries(t, s, wanted())
		if len(all) != 1 || all[0].Version != now.Now().UnixMilli()+2 {
			t.Fatalf("claimed %+v", all)
		}
		settle(t, s, feed.Settlement{Delivery: all[0], Outcome: feed.Delivered})
		if got, _ := s.Subscription(t.Context(), id); got.Waiting {
			t.Errorf("still waits: %+v", got)
		}
		d := feed.Distribution{Topic: harbour, ContentType: "application/rss+xml", Body: []byte("body of 2-0"), Whole: true}
		for _, want := range []bool{false, true, false} {
			if made, err := s.DistributeServed(t.Context(), d); err != nil || made != want {
				t.Errorf("%s: %v, %v, want %v", d.Body, made, err, want)
			}
			d.Body = []byte("another body")
		}
	})
}

func TestLostClaimsAreRefused(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		joined(t, s, now, callbackOf(1))
		distribute(t, s, "", "1-0", false)
		old := deliveries(t, s, wanted())
		now.Advance(30 * time.Second) // the fence
		taken := deliveries(t, s, wanted())
		if len(taken) != 1 || taken[0].ID() != old[0].ID() {
			t.Fatalf("after the fence: %+v", taken)
		}
		for _, outcome := range []feed.Outcome{feed.Delivered, feed.Failed, feed.Deferred} {
			if lost := settle(t, s, feed.Settlement{Delivery: old[0], Outcome: outcome, Next: now.Now()}); lost != 1 {
				t.Errorf("%s under a lost claim was written", outcome)
			}
		}
		if err := s.RemoveSubscription(t.Context(), old[0]); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("removal under a lost claim: %v", err)
		}
		if lost := settle(t, s, feed.Settlement{Delivery: taken[0], Outcome: feed.Delivered}); lost != 0 {
			t.Error("the new claim was lost")
		}
	})
}

func TestFailuresAreRememberedUntilADelivery(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		id := joined(t, s, now, callbackOf(1))
		distribute(t, s, "", "1-0", false)
		bad := feed.Health{Failures: 1, Since: now.Now(), Last: now.Now(), Status: 503, Reason: "5xx"}
		d := deliveries(t, s, wanted())[0]
		settle(t, s, feed.Settlement{Delivery: d, Outcome: feed.Failed, Health: bad, Next: now.Now().Add(10 * time.Second)})
		_, _, next, err := s.ClaimDeliveries(t.Context(), wanted())
		if err != nil || !next.Equal(now.Now().Add(10*time.Second)) {
			t.Errorf("the next one is due %v, %v", next, err)
		}
		got, _ := s.Subscription(t.Context(), id)
		bad.Next = next
		if diff := cmp.Diff(bad, got.Health); diff != "" {
			t.Errorf("health (-want +got):\n%s", diff)
		}
		now.Advance(10 * time.Second)
		d = deliveries(t, s, wanted())[0]
		if d.Subscription.Health.Failures != 1 {
			t.Errorf("the claim does not tell of the failure: %+v", d)
		}
		settle(t, s, feed.Settlement{Delivery: d, Outcome: feed.Delivered})
		if n := raw.Int("HLEN", "hub:health"); n != 0 {
			t.Error("a failure outlives the delivery")
		}
	})
}

func TestGivenUpVersionsLeaveADeadLetterAndCanBeReplayed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		id := joined(t, s, now, callbackOf(1))
		distribute(t, s, "", "1-0", false)
		distribute(t, s, "1-0", "2-0", false)
		d := deliveries(t, s, wanted())[0]
		bad := feed.Health{Failures: 14, Since: now.Now(), Last: now.Now(), Reason: "timeout"}
		settle(t, s, feed.Settlement{Delivery: d, Outcome: feed.Failed, Health: bad})
		letters, err := s.DeadLetters(t.Context(), "", 10)
		if err != nil || len(letters) != 1 {
			t.Fatalf("dead letters: %v, %v", letters, err)
		}
		want := feed.DeadLetter{
			ID: letters[0].ID, Subscription: id, Topic: harbour, First: d.Version, Last: d.Version + 1, Failures: 14, Since: now.Now(),
			Time: now.Now(), Reason: "timeout",
		}
		if diff := cmp.Diff(want, letters[0]); diff != "" {
			t.Errorf("dead letter (-want +got):\n%s", diff)
		}
		if rest := deliveries(t, s, wanted()); len(rest) != 0 {
			t.Errorf("still delivered: %+v", rest)
		}
		if err := s.ReplayDeadLetter(t.Context(), letters[0].ID); err != nil {
			t.Fatal(err)
		}
		if err := s.ReplayDeadLetter(t.Context(), letters[0].ID); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("replayed twice: %v", err)
		}
		for n := range int64(2) {
			all := deliveries(t, s, wanted())
			if len(all) != 1 || all[0].Version != d.Version+n {
				t.Fatalf("replay %d: %+v", n, all)
			}
			settle(t, s, feed.Settlement{Delivery: all[0], Outcome: feed.Delivered})
		}
		if err := s.ResendSubscription(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if all := deliveries(t, s, wanted()); len(all) != 1 || all[0].Version != d.Version+1 {
			t.Errorf("resent: %+v", all)
		}
	})
}

func TestIdleTopicsAreThoseWithoutSubscribersForAWhile(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
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
		id := joined(t, s, now, callbackOf(1))
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
		id = joined(t, s, now, callbackOf(1))
		idle(other)
		if err := s.Unsubscribe(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Hour)
		idle(other) // the hour begins anew
		now.Advance(time.Hour)
		idle(harbour, other)
		if n := raw.Int("HLEN", "hub:idle"); n != 2 {
			t.Errorf("%d topics are remembered, want the two that are watched", n)
		}
	})
}

func TestAsManyVersionsAreReplayedAsAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		id := joined(t, s, now, callbackOf(1))
		if err := s.ReplaySubscription(t.Context(), id, 3); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("before there is a version: %v", err)
		}
		if err := s.ReplaySubscription(t.Context(), "none", 3); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("without a subscription: %v", err)
		}
		for i := range 4 {
			from := ""
			if i > 0 {
				from = fmt.Sprintf("%d-0", i)
			}
			distribute(t, s, from, fmt.Sprintf("%d-0", i+1), false)
		}
		first := now.Now().UnixMilli() + 1
		raw.Do("DEL", fmt.Sprintf("hub:body:%s:%d", feed.TopicID(harbour), first))
		for _, c := range []struct {
			count int
			want  int64
		}{{1, first + 3}, {2, first + 2}, {3, first + 1}, {4, first + 1}, {50, first + 1}} {
			if err := s.ReplaySubscription(t.Context(), id, c.count); err != nil {
				t.Fatal(err)
			}
			if all := deliveries(t, s, wanted()); len(all) != 1 || all[0].Version != c.want {
				t.Errorf("replaying %d begins with %+v, want version %d", c.count, all, c.want)
			}
		}
	})
}

func TestBusyHostsAreSteppedOver(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		for n := range 30 {
			joined(t, s, now, callbackOf(n))
		}
		distribute(t, s, "", "1-0", false)
		hosts := make([]string, 3)
		for i := range hosts {
			hosts[i] = feed.HostID(callbackOf(i))
		}
		all, after, _, err := s.ClaimDeliveries(t.Context(), feed.Wanted{
			Limit: 100, PerHost: 4, Free: map[string]int{hosts[0]: 0, hosts[1]: 1}, Lease: time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]int)
		for _, d := range all {
			got[d.Subscription.HostID()]++
		}
		if diff := cmp.Diff(map[string]int{hosts[1]: 1, hosts[2]: 4}, got); diff != "" {
			t.Errorf("claimed by host (-want +got):\n%s", diff)
		}
		w := wanted()
		w.After = after
		rest := deliveries(t, s, w)
		if len(rest) != 25 {
			t.Errorf("%d are left, want 25", len(rest))
		}
		if len(rest) > 0 && rest[0].Subscription.ID <= after && strings.Compare(after, slices.Max(ids(rest))) < 0 {
			t.Errorf("it goes on with %s, not behind %s", rest[0].Subscription.ID, after)
		}
	})
}

func ids(all []feed.Delivery) (list []string) {
	for _, d := range all {
		list = append(list, d.Subscription.ID)
	}
	return list
}

func TestPausedSubscriptionsWait(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		id := joined(t, s, now, callbackOf(1))
		if err := s.PauseSubscription(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		distribute(t, s, "", "1-0", false)
		if all := deliveries(t, s, wanted()); len(all) != 0 {
			t.Fatalf("delivered in a pause: %+v", all)
		}
		if err := s.ResumeSubscription(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if all := deliveries(t, s, wanted()); len(all) != 1 {
			t.Errorf("after the pause: %+v", all)
		}
	})
}

func TestSubscriptionsEndWithoutATrace(t *testing.T) {
	ends := map[string]func(t *testing.T, s *store.Store, now *clock){
		"unsubscribed": func(t *testing.T, s *store.Store, now *clock) {
			if err := s.GrantHubRequest(t.Context(), request(t, s, feed.HubUnsubscribe, harbour, callbackOf(1)), now.Now()); err != nil {
				t.Error(err)
			}
		},
		"lease over": func(t *testing.T, s *store.Store, now *clock) {
			now.Advance(time.Hour - time.Second)
			if n, err := s.EndSubscriptions(t.Context(), 10); n != 0 || err != nil {
				t.Errorf("ended early: %d, %v", n, err)
			}
			now.Advance(time.Second)
			if n, err := s.EndSubscriptions(t.Context(), 10); n != 1 || err != nil {
				t.Errorf("ended: %d, %v", n, err)
			}
		},
		"gone": func(t *testing.T, s *store.Store, _ *clock) {
			distribute(t, s, "", "1-0", false)
			if err := s.RemoveSubscription(t.Context(), deliveries(t, s, wanted())[0]); err != nil {
				t.Error(err)
			}
		},
		"removed by a person": func(t *testing.T, s *store.Store, _ *clock) {
			if err := s.Unsubscribe(t.Context(), feed.SubscriptionID(harbour, callbackOf(1))); err != nil {
				t.Error(err)
			}
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
				id := joined(t, s, now, callbackOf(1))
				distribute(t, s, "", "0-1", false)
				d := deliveries(t, s, wanted())[0]
				settle(t, s, feed.Settlement{Delivery: d, Outcome: feed.Failed, Health: feed.Health{Failures: 1, Since: now.Now()}, Next: now.Now()})
				raw.Do("DEL", "hub:cursor")
				end(t, s, now)
				if _, err := s.Subscription(t.Context(), id); !errors.Is(err, feed.ErrNotFound) {
					t.Errorf("it is still there: %v", err)
				}
				for _, key := range raw.Keys("hub:*") {
					if strings.HasPrefix(key, "hub:body:") && raw.Int("TTL", key) > 0 || key == "hub:cursor" {
						continue
					}
					t.Errorf("%s is left", key)
				}
			})
		})
	}
}

func TestTopicsAreCounted(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		for n := range 3 {
			joined(t, s, now, callbackOf(n))
		}
		distribute(t, s, "", "1-0", false)
		d := deliveries(t, s, feed.Wanted{Limit: 1, PerHost: 1, Lease: time.Minute})
		settle(t, s, feed.Settlement{Delivery: d[0], Outcome: feed.Delivered})
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

func TestUndistributedSignalsAreNotTrimmed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		if _, err := s.SaveEntries(t.Context(), claim(t, s), document(3)); err != nil {
			t.Fatal(err)
		}
		all, err := s.Signals(t.Context(), "", 10, 0)
		if err != nil || len(all) < 3 {
			t.Fatalf("%d signals, %v", len(all), err)
		}
		if err := s.Distribute(t.Context(), "", all[1].ID, nil); err != nil {
			t.Fatal(err)
		}
		now.Advance(10 * 365 * 24 * time.Hour)
		if _, err := s.TrimSignals(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		left, err := s.Signals(t.Context(), all[1].ID, 10, 0)
		if err != nil || len(left) != len(all)-2 {
			t.Errorf("%d signals are left, want %d, %v", len(left), len(all)-2, err)
		}
	})
}
