package hub_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

const page = "http://harbour.example/page"

// claimedTopic adds an open topic, and claims its check.
func claimedTopic(t *testing.T, s stores, now *storetest.Clock, url string) feed.OpenTopic {
	t.Helper()
	if err := s.AddOpenTopic(t.Context(), feed.OpenTopic{URL: url, Sum: "first"}, now.Now(), feed.OpenTopicLimits{Topics: 10}); err != nil {
		t.Fatal(err)
	}
	all, next, err := s.ClaimOpenTopics(t.Context(), 10, time.Minute)
	if err != nil || len(all) != 1 || !next.IsZero() {
		t.Fatalf("claimed %v, next %v, %v", all, next, err)
	}
	return all[0]
}

func TestOpenTopicIsCheckedByOneDaemonAndAgainAfterARequest(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		topic := claimedTopic(t, s, now, page)
		if err := s.RefreshOpenTopic(t.Context(), page, now.Now()); err != nil {
			t.Fatal(err)
		}
		if all, _, err := s.ClaimOpenTopics(t.Context(), 10, time.Minute); err != nil || len(all) != 0 {
			t.Errorf("claimed %v during a check, %v", all, err)
		}
		topic.Sum, topic.Checked = "second", now.Now()
		if err := s.FinishOpenTopic(t.Context(), topic, now.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		now.Advance(2 * time.Second)
		all, _, err := s.ClaimOpenTopics(t.Context(), 10, time.Minute)
		if err != nil || len(all) != 1 || all[0].Sum != "second" {
			t.Fatalf("the check that was requested meanwhile: %v, %v", all, err)
		}
		if err := s.FinishOpenTopic(t.Context(), all[0], now.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if all, next, err := s.ClaimOpenTopics(t.Context(), 10, time.Minute); len(all) != 0 || !next.Equal(now.Now().Add(time.Hour)) {
			t.Errorf("claimed %v, next %v, %v", all, next, err)
		}
	})
}

func TestInterruptedCheckOfAnOpenTopicIsDueAgain(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		topic := claimedTopic(t, s, now, page)
		now.Advance(61 * time.Second)
		again, _, err := s.ClaimOpenTopics(t.Context(), 10, time.Minute)
		if err != nil || len(again) != 1 {
			t.Fatalf("claimed %v, %v", again, err)
		}
		if err := s.ReserveOpenTopic(t.Context(), topic, 1, feed.OpenTopicLimits{Bytes: 10}); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("the first claim still holds: %v", err)
		}
		topic.Sum = "late"
		if err := s.FinishOpenTopic(t.Context(), topic, now.Now()); err != nil {
			t.Error(err)
		}
		if got, err := s.OpenTopic(t.Context(), page); err != nil || got.Sum != "first" {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestOpenTopicsHaveLimits(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		one := feed.OpenTopicLimits{Topics: 1, Bytes: 100}
		topic := claimedTopic(t, s, now, page)
		if err := s.AddOpenTopic(t.Context(), feed.OpenTopic{URL: page + "/2"}, now.Now(), one); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("a second topic: %v", err)
		}
		for _, c := range []struct {
			bytes int
			want  error
		}{{60, nil}, {60, nil}, {101, feed.ErrConflict}, {100, nil}, {10, nil}} {
			if err := s.ReserveOpenTopic(t.Context(), topic, c.bytes, one); !errors.Is(err, c.want) {
				t.Errorf("%d bytes: %v, want %v", c.bytes, err, c.want)
			}
		}
		if topics, bytes, err := s.OpenTopicCounts(t.Context()); topics != 1 || bytes != 10 || err != nil {
			t.Errorf("%d topics have %d bytes, %v", topics, bytes, err)
		}
		for _, c := range []struct {
			url   string
			bytes int
			want  error
		}{{page, 101, feed.ErrConflict}, {page, 100, nil}, {page, 20, nil}, {page + "/2", 1, feed.ErrNotFound}} {
			if err := s.ReserveContent(t.Context(), c.url, c.bytes, one.Bytes); !errors.Is(err, c.want) {
				t.Errorf("content of %d bytes: %v, want %v", c.bytes, err, c.want)
			}
		}
		if _, bytes, err := s.OpenTopicCounts(t.Context()); bytes != 20 || err != nil {
			t.Errorf("with the content they have %d bytes, %v", bytes, err)
		}
		if err := s.ForgetOpenTopic(t.Context(), page); err != nil {
			t.Fatal(err)
		}
		if topics, bytes, err := s.OpenTopicCounts(t.Context()); topics != 0 || bytes != 0 || err != nil {
			t.Errorf("afterwards %d topics have %d bytes, %v", topics, bytes, err)
		}
		if _, err := s.OpenTopic(t.Context(), page); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("the forgotten topic: %v", err)
		}
	})
}

func TestSubscriptionsToOpenTopicsAreCountedByClient(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		claimedTopic(t, s, now, page)
		grant := func(mode feed.HubMode, topic string) {
			t.Helper()
			r := feed.HubRequest{Mode: mode, Topic: topic, Callback: callbackOf(1), Lease: time.Hour, Client: "192.0.2.1"}
			if err := s.AddHubRequest(t.Context(), r, 3); err != nil {
				t.Fatal(err)
			}
			all, _, err := s.ClaimHubRequests(t.Context(), 10, time.Minute)
			if err != nil || len(all) != 1 {
				t.Fatalf("claimed %v, %v", all, err)
			}
			if err := s.GrantHubRequest(t.Context(), all[0], now.Now()); err != nil {
				t.Fatal(err)
			}
		}
		for i, step := range []struct {
			mode  feed.HubMode
			topic string
			want  int
		}{
			{feed.HubSubscribe, page, 1}, {feed.HubSubscribe, page, 1}, {feed.HubSubscribe, harbour, 1}, {feed.HubUnsubscribe, page, 0},
			{feed.HubUnsubscribe, harbour, 0},
		} {
			grant(step.mode, step.topic)
			counts, err := s.HubCounts(t.Context(), &feed.HubRequest{Topic: page, Callback: callbackOf(1), Client: "192.0.2.1"})
			if err != nil || counts.OfClient != step.want || !counts.Open {
				t.Errorf("after step %d: %+v, %v; want %d", i, counts, err, step.want)
			}
		}
	})
}

func TestChecksOfOpenTopicsAreBroughtForward(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		topic := claimedTopic(t, s, now, page)
		topic.Checked = now.Now()
		if err := s.FinishOpenTopic(t.Context(), topic, now.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		now.Advance(-24 * time.Hour)
		if n, err := s.BringForward(t.Context(), time.Second); n != 1 || err != nil {
			t.Errorf("brought %d forward, %v", n, err)
		}
		all, _, err := s.ClaimOpenTopics(t.Context(), 10, time.Minute)
		if err != nil || len(all) != 1 {
			t.Fatalf("claimed %v, %v", all, err)
		}
		topic.Claim = all[0].Claim
		if diff := cmp.Diff([]feed.OpenTopic{topic}, all); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
