package hub_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestVersionsAreDeliveredInOrderOneAtATime(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		id := subscribed(t, s, now, callbackOf(1))
		first := now.Now().UnixMilli() + 1
		distribute(t, s, "", "1-0", false)
		distribute(t, s, "1-0", "2-0", false)
		if err := s.Distribute(t.Context(), feed.HubStep{From: "1-0", To: "2-0"}, nil); err != nil {
			t.Errorf("moving the cursor again: %v", err)
		}
		if err := s.Distribute(t.Context(), feed.HubStep{From: "0-5", To: "1-5"}, nil); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("moving the cursor from another signal: %v", err)
		}
		for n := range int64(2) {
			all := deliveries(t, s, everything())
			if len(all) != 1 || all[0].Version != first+n || all[0].Subscription.ID != id {
				t.Fatalf("claim %d: %+v", n, all)
			}
			if more := deliveries(t, s, everything()); len(more) != 0 {
				t.Fatalf("claimed twice: %+v", more)
			}
			body, err := s.Version(t.Context(), harbour, all[0].Version)
			if err != nil || string(body.Body) != fmt.Sprintf("body of %d-0", n+1) || body.ContentType != "application/rss+xml" {
				t.Errorf("version %d: %+v, %v", n, body, err)
			}
			if lost := finish(t, s, feed.DeliveryResult{Delivery: all[0], Outcome: feed.Delivered}); lost != 0 {
				t.Error("the claim was lost")
			}
			if lost := finish(t, s, feed.DeliveryResult{Delivery: all[0], Outcome: feed.Delivered}); lost != 1 {
				t.Error("a claim was finished twice")
			}
		}
		if got, _ := s.Subscription(t.Context(), id); got.Waiting || got.Next != first+2 {
			t.Errorf("after both deliveries: %+v", got)
		}
		if n := raw.Int("ZCARD", "hub:ready") + raw.Int("ZCARD", "hub:later"); n != 0 {
			t.Errorf("%d deliveries are left", n)
		}
		if ttl := raw.Int("TTL", "hub:body:"+feed.TopicID(harbour)+fmt.Sprintf(":%d", first)); ttl <= 0 {
			t.Errorf("the old version expires in %d s", ttl)
		}
	})
}

func TestWholeVersionReplacesEarlierOnes(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		id := subscribed(t, s, now, callbackOf(1))
		distribute(t, s, "", "1-0", true)
		distribute(t, s, "1-0", "2-0", true)
		all := deliveries(t, s, everything())
		if len(all) != 1 || all[0].Version != now.Now().UnixMilli()+2 {
			t.Fatalf("claimed %+v", all)
		}
		finish(t, s, feed.DeliveryResult{Delivery: all[0], Outcome: feed.Delivered})
		if got, _ := s.Subscription(t.Context(), id); got.Waiting {
			t.Errorf("a version is left: %+v", got)
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

func TestResultOfALostClaimIsIgnored(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		subscribed(t, s, now, callbackOf(1))
		distribute(t, s, "", "1-0", false)
		old := deliveries(t, s, everything())
		now.Advance(30 * time.Second) // the fence
		taken := deliveries(t, s, everything())
		if len(taken) != 1 || taken[0].ID() != old[0].ID() {
			t.Fatalf("after the fence: %+v", taken)
		}
		for _, outcome := range []feed.Outcome{feed.Delivered, feed.Failed, feed.Deferred} {
			if lost := finish(t, s, feed.DeliveryResult{Delivery: old[0], Outcome: outcome, Next: now.Now()}); lost != 1 {
				t.Errorf("%s under a lost claim was stored", outcome)
			}
		}
		if err := s.RemoveSubscription(t.Context(), old[0]); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("removing under a lost claim: %v", err)
		}
		if lost := finish(t, s, feed.DeliveryResult{Delivery: taken[0], Outcome: feed.Delivered}); lost != 0 {
			t.Error("the new claim was lost")
		}
	})
}

// The first deliveries of a version do not wait for a plan.
func TestFirstDeliveriesAreQueuedWithTheirVersion(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		for n := range 40 {
			subscribed(t, s, now, callbackOf(n))
		}
		d := feed.Distribution{Topic: harbour, ContentType: "text/plain", Body: []byte("news")}
		if made, err := s.DistributeServed(t.Context(), d); !made || err != nil {
			t.Fatal(made, err)
		}
		first := deliveries(t, s, everything())
		planned, more, err := s.PlanDeliveries(t.Context(), 100)
		if len(first) != 32 || planned != 8 || !more || err != nil {
			t.Errorf("%d deliveries are queued with the version and %d then, %v, %v; want 32 and 8", len(first), planned, more, err)
		}
		if planned, more, err = s.PlanDeliveries(t.Context(), 100); planned != 0 || more || err != nil {
			t.Errorf("nothing is left to plan, and %d were planned, %v, %v", planned, more, err)
		}
		if others := deliveries(t, s, everything()); len(others) != 8 {
			t.Errorf("%d more deliveries, want 8", len(others))
		}
	})
}

func TestAttemptsAreStoredWithTheResult(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		id := subscribed(t, s, now, callbackOf(1))
		if none, err := s.Attempts(t.Context(), id); err != nil || len(none) != 0 {
			t.Errorf("before the first delivery: %v, %v", none, err)
		}
		distribute(t, s, "", "1-0", false)
		d := deliveries(t, s, everything())[0]
		failed := feed.Attempt{
			Time: now.Now(), Version: d.Version, Duration: feed.Duration(1500 * time.Millisecond), Reason: "tls", Next: now.Now().Add(10 * time.Second),
		}
		finish(t, s, feed.DeliveryResult{
			Delivery: d, Outcome: feed.Failed, Health: feed.Health{Failures: 1}, Next: now.Now().Add(10 * time.Second), Attempt: failed, MaxAttempts: 2,
		})
		now.Advance(10 * time.Second)
		again := deliveries(t, s, everything())[0]
		accepted := feed.Attempt{Time: now.Now(), Version: d.Version, Duration: feed.Duration(12 * time.Millisecond), Status: 204, Reason: "2xx"}
		done := feed.DeliveryResult{Delivery: again, Outcome: feed.Delivered, Attempt: accepted, MaxAttempts: 2}
		finish(t, s, done)
		finish(t, s, done) // the claim is lost
		got, err := s.Attempts(t.Context(), id)
		if diff := cmp.Diff([]feed.Attempt{accepted, failed}, got); diff != "" || err != nil {
			t.Errorf("attempts (-want +got), %v:\n%s", err, diff)
		}
		now.Advance(8 * 24 * time.Hour)
		distribute(t, s, "1-0", "2-0", false)
		finish(t, s, feed.DeliveryResult{
			Delivery: deliveries(t, s, everything())[0], Outcome: feed.Delivered, Attempt: feed.Attempt{Time: now.Now(), Reason: "2xx"}, MaxAttempts: 9,
		})
		if text := raw.Strings("HMGET", "hub:attempts", id)[0]; strings.Count(text, "\n") != 1 {
			t.Errorf("after a week, these are stored:\n%s", text)
		}
		if _, err := s.Attempts(t.Context(), "none"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("attempts of no subscription: %v", err)
		}
	})
}

// Results of all outcomes in one batch, in any order, end each claim by itself.
func TestBatchOfResultsHasAllOutcomes(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		for n := range 8 {
			subscribed(t, s, now, callbackOf(n))
		}
		distribute(t, s, "", "1-0", false)
		all := deliveries(t, s, everything())
		distribute(t, s, "1-0", "2-0", false) // all are behind
		bad := feed.Health{Failures: 2, Since: now.Now(), Last: now.Now(), Status: 503, Reason: "5xx"}
		tried := func(n int, reason string) feed.Attempt {
			return feed.Attempt{Time: now.Now(), Version: all[n].Version, Status: 200 + n, Reason: reason}
		}
		later := now.Now().Add(time.Hour)
		lost := all[6]
		lost.Fence = lost.Fence.Add(-time.Second)
		batch := []feed.DeliveryResult{
			{Delivery: all[0], Outcome: feed.Delivered, Attempt: tried(0, "2xx"), MaxAttempts: 1},
			{Delivery: all[1], Outcome: feed.Failed, Health: bad, Next: later, Attempt: tried(1, "5xx"), MaxAttempts: 1},
			{Delivery: lost, Outcome: feed.Delivered, Attempt: tried(6, "2xx"), MaxAttempts: 1},
			{Delivery: all[2], Outcome: feed.Delivered, Attempt: tried(2, "2xx"), MaxAttempts: 1},
			{Delivery: all[3], Outcome: feed.Failed, Health: bad, Attempt: tried(3, "5xx"), MaxAttempts: 1},
			{Delivery: all[4], Outcome: feed.Delivered, Readers: 70, Attempt: tried(4, "2xx"), MaxAttempts: 1},
			{Delivery: all[5], Outcome: feed.Deferred, Next: later},
			{Delivery: all[7], Outcome: feed.Failed, Health: bad, Attempt: tried(7, "5xx"), MaxAttempts: 1},
		}
		gone, again, err := s.FinishDeliveries(t.Context(), batch)
		if gone != 1 || again != 3 || err != nil {
			t.Errorf("%d claims were lost, %d are due again, %v; want 1 and 3", gone, again, err)
		}
		for n, want := range []string{"attempt", "failing", "attempt", "failing dead", "attempt readers", "", "", "failing dead"} {
			sub, attempts, err := s.SubscriptionView(t.Context(), all[n].Subscription.ID)
			var got []string
			if sub.Health.Failures > 0 {
				got = append(got, "failing")
			}
			if sub.Next > all[n].Version+1 && !sub.Waiting {
				got = append(got, "dead")
			}
			if len(attempts) == 1 && attempts[0].Status == 200+n && len(got) == 0 {
				got = append(got, "attempt")
			}
			if sub.Readers == 70 {
				got = append(got, "readers")
			}
			if strings.Join(got, " ") != want || err != nil {
				t.Errorf("subscription %d is %q, %v; want %q", n, got, err, want)
			}
		}
		if n := raw.Int("XLEN", "hub:dead"); n != 2 {
			t.Errorf("%d dead letters, want 2", n)
		}
		history, err := s.TopicHistory(t.Context(), feed.TopicID(harbour))
		if err != nil {
			t.Fatal(err)
		}
		if v := history.Versions[1]; v.Delivered != 3 || v.Failed != 2 || v.Causes["5xx"] != 3 {
			t.Errorf("the history has %+v", v)
		}
	})
}

func TestHealthIsClearedByADelivery(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		id := subscribed(t, s, now, callbackOf(1))
		distribute(t, s, "", "1-0", false)
		bad := feed.Health{Failures: 1, Since: now.Now(), Last: now.Now(), Status: 503, Reason: "5xx"}
		d := deliveries(t, s, everything())[0]
		finish(t, s, feed.DeliveryResult{Delivery: d, Outcome: feed.Failed, Health: bad, Next: now.Now().Add(10 * time.Second)})
		_, _, next, err := s.ClaimDeliveries(t.Context(), everything())
		if err != nil || !next.Equal(now.Now().Add(10*time.Second)) {
			t.Errorf("the next one is due %v, %v", next, err)
		}
		got, _ := s.Subscription(t.Context(), id)
		bad.Next = next
		if diff := cmp.Diff(bad, got.Health); diff != "" {
			t.Errorf("health (-want +got):\n%s", diff)
		}
		now.Advance(10 * time.Second)
		d = deliveries(t, s, everything())[0]
		if d.Subscription.Health.Failures != 1 {
			t.Errorf("the claim lacks the failure: %+v", d)
		}
		finish(t, s, feed.DeliveryResult{Delivery: d, Outcome: feed.Delivered})
		if n := raw.Int("HLEN", "hub:health"); n != 0 {
			t.Error("the failure is still stored")
		}
	})
}

func TestClaimSkipsHostsAtTheirLimit(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		for n := range 210 { // more of a host than one page of the script
			subscribed(t, s, now, callbackOf(n))
		}
		distribute(t, s, "", "1-0", false)
		hosts := make([]string, 3)
		for i := range hosts {
			hosts[i] = feed.HostID(callbackOf(i))
		}
		all, after, _, err := s.ClaimDeliveries(t.Context(), feed.DeliveryClaim{
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
		w := everything()
		w.After = after
		rest := deliveries(t, s, w)
		if len(rest) != 205 {
			t.Errorf("%d are left, want 205", len(rest))
		}
		if len(rest) > 0 && rest[0].Subscription.ID <= after && strings.Compare(after, slices.Max(ids(rest))) < 0 {
			t.Errorf("the claim begins with %s, not after %s", rest[0].Subscription.ID, after)
		}
	})
}

func ids(all []feed.Delivery) (list []string) {
	for _, d := range all {
		list = append(list, d.Subscription.ID)
	}
	return list
}

func TestSourceIsDistributedAheadOfTheCursorOnce(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		subscribed(t, s, now, callbackOf(1))
		version := func() int64 {
			t.Helper()
			topic, err := s.Topic(t.Context(), feed.TopicID(harbour))
			if err != nil {
				t.Fatal(err)
			}
			return topic.Version
		}
		first := version()
		other := "http://other.example/feed"
		news := []feed.Distribution{{Topic: harbour, ContentType: "text/plain", Body: []byte("news")}}
		for _, c := range []struct {
			name  string
			step  feed.HubStep
			fails error
			made  int64 // versions since the beginning
			want  feed.HubProgress
		}{
			{"ahead of an empty cursor", feed.HubStep{FeedURL: harbour, AheadTo: "5-0"}, nil, 1, feed.HubProgress{Ahead: map[string]string{harbour: "5-0"}}},
			{"again", feed.HubStep{FeedURL: harbour, AheadTo: "5-0"}, nil, 1, feed.HubProgress{Ahead: map[string]string{harbour: "5-0"}}},
			{"by a daemon that does not know", feed.HubStep{FeedURL: harbour, AheadTo: "6-0"}, feed.ErrConflict, 1,
				feed.HubProgress{Ahead: map[string]string{harbour: "5-0"}}},
			{"the cursor, by a daemon that does not know", feed.HubStep{To: "1-0", FeedURL: harbour}, feed.ErrConflict, 1,
				feed.HubProgress{Ahead: map[string]string{harbour: "5-0"}}},
			{"the cursor, for another source", feed.HubStep{To: "1-0", FeedURL: other}, nil, 2,
				feed.HubProgress{Cursor: "1-0", Ahead: map[string]string{harbour: "5-0"}}},
			{"ahead of another cursor", feed.HubStep{FeedURL: harbour, AheadFrom: "5-0", AheadTo: "6-0"}, feed.ErrConflict, 2,
				feed.HubProgress{Cursor: "1-0", Ahead: map[string]string{harbour: "5-0"}}},
			{"the cursor passes", feed.HubStep{From: "1-0", To: "5-0", FeedURL: harbour, AheadFrom: "5-0"}, nil, 3,
				feed.HubProgress{Cursor: "5-0", Ahead: map[string]string{}}},
		} {
			if err := s.Distribute(t.Context(), c.step, news); !errors.Is(err, c.fails) {
				t.Errorf("%s: %v", c.name, err)
			}
			got, err := s.HubProgress(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || version()-first != c.made {
				t.Errorf("%s: %d versions, progress (-want +got):\n%s", c.name, version()-first, diff)
			}
		}
	})
}
