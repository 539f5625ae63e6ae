package hub_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestFailedVersionsLeaveADeadLetterThatCanBeReplayed(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		id := subscribed(t, s, now, callbackOf(1))
		distribute(t, s, "", "1-0", false)
		distribute(t, s, "1-0", "2-0", false)
		d := deliveries(t, s, everything())[0]
		bad := feed.Health{Failures: 14, Since: now.Now(), Last: now.Now(), Reason: "timeout"}
		finish(t, s, feed.DeliveryResult{Delivery: d, Outcome: feed.Failed, Health: bad})
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
		if rest := deliveries(t, s, everything()); len(rest) != 0 {
			t.Errorf("still delivered: %+v", rest)
		}
		if err := s.ReplayDeadLetter(t.Context(), letters[0].ID); err != nil {
			t.Fatal(err)
		}
		if err := s.ReplayDeadLetter(t.Context(), letters[0].ID); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("replayed twice: %v", err)
		}
		for n := range int64(2) {
			all := deliveries(t, s, everything())
			if len(all) != 1 || all[0].Version != d.Version+n {
				t.Fatalf("replay %d: %+v", n, all)
			}
			finish(t, s, feed.DeliveryResult{Delivery: all[0], Outcome: feed.Delivered})
		}
		if err := s.ResendSubscription(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if all := deliveries(t, s, everything()); len(all) != 1 || all[0].Version != d.Version+1 {
			t.Errorf("resent: %+v", all)
		}
	})
}

func TestDeadLetterIsReplayedByOneOfSeveralRequests(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		const subscribers, requests = 5, 4
		for n := range subscribers {
			subscribed(t, s, now, callbackOf(n))
		}
		distribute(t, s, "", "1-0", false)
		for _, d := range deliveries(t, s, everything()) {
			finish(t, s, feed.DeliveryResult{Delivery: d, Outcome: feed.Failed, Health: feed.Health{Failures: 14, Reason: "timeout"}})
		}
		letters, err := s.DeadLetters(t.Context(), "", 10)
		if err != nil || len(letters) != subscribers {
			t.Fatalf("dead letters: %v, %v", letters, err)
		}
		var replayed atomic.Int32
		var all sync.WaitGroup
		for range requests {
			all.Go(func() {
				for _, l := range letters {
					switch err := s.ReplayDeadLetter(t.Context(), l.ID); {
					case err == nil:
						replayed.Add(1)
					case !errors.Is(err, feed.ErrNotFound):
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if n := replayed.Load(); n != subscribers {
			t.Errorf("the requests replayed %d dead letters, and there were %d", n, subscribers)
		}
		if n := len(deliveries(t, s, everything())); n != subscribers {
			t.Errorf("%d versions are delivered again", n)
		}
	})
}

func TestReplayIsLimitedToStoredVersions(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		id := subscribed(t, s, now, callbackOf(1))
		if err := s.ReplaySubscription(t.Context(), id, 3); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("without a version: %v", err)
		}
		if err := s.ReplaySubscription(t.Context(), "none", 3); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("without the subscription: %v", err)
		}
		for i := range 4 {
			from := ""
			if i > 0 {
				from = fmt.Sprintf("%d-0", i)
			}
			distribute(t, s, from, fmt.Sprintf("%d-0", i+1), false)
		}
		for all := deliveries(t, s, everything()); len(all) > 0; all = deliveries(t, s, everything()) {
			finish(t, s, feed.DeliveryResult{Delivery: all[0], Outcome: feed.Delivered})
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
			if all := deliveries(t, s, everything()); len(all) != 1 || all[0].Version != c.want {
				t.Errorf("the replay of %d begins with %+v, want version %d", c.count, all, c.want)
			}
		}
	})
}

func TestReplayIsMarkedUpToTheLastVersionThatWasSent(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		id := subscribed(t, s, now, callbackOf(1))
		from, made := "", 0
		news := func() {
			t.Helper()
			made++
			distribute(t, s, from, fmt.Sprintf("%d-0", made), false)
			from = fmt.Sprintf("%d-0", made)
		}
		first := now.Now().UnixMilli()
		accept := func(version int64, replay bool) {
			t.Helper()
			all := deliveries(t, s, everything())
			if len(all) != 1 || all[0].Version != first+version || (all[0].Version <= all[0].Replayed) != replay {
				t.Fatalf("claimed %+v, want version %d and replay %v", all, first+version, replay)
			}
			finish(t, s, feed.DeliveryResult{Delivery: all[0], Outcome: feed.Delivered})
		}
		for n := range int64(3) {
			news()
			accept(n+1, false)
		}
		if err := s.ReplaySubscription(t.Context(), id, 2); err != nil {
			t.Fatal(err)
		}
		accept(2, true)
		if err := s.ReplaySubscription(t.Context(), id, 3); err != nil { // begins anew, and is marked as far as the first one
			t.Fatal(err)
		}
		news()
		accept(1, true)
		accept(2, true)
		accept(3, true)
		accept(4, false)
		if err := s.ResendSubscription(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		accept(4, true)
	})
}

// A person who resends the newest version to a failing subscriber does not take the news from it that waits.
func TestReplayBeginsWithTheVersionsThatWait(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		id := subscribed(t, s, now, callbackOf(1))
		distribute(t, s, "", "1-0", false)
		d := deliveries(t, s, everything())[0]
		distribute(t, s, "1-0", "2-0", false)
		later := now.Now().Add(time.Hour)
		finish(t, s, feed.DeliveryResult{Delivery: d, Outcome: feed.Failed, Health: feed.Health{Failures: 1}, Next: later})
		if err := s.ResendSubscription(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		for n := range int64(2) {
			all := deliveries(t, s, everything())
			if len(all) != 1 || all[0].Version != d.Version+n || all[0].Version <= all[0].Replayed {
				t.Fatalf("claimed %+v, want version %d, which is no replay", all, d.Version+n)
			}
			finish(t, s, feed.DeliveryResult{Delivery: all[0], Outcome: feed.Delivered})
		}
	})
}
