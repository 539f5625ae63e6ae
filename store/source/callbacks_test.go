package source_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// subscribed adds a source with a callback and returns the callback.
func subscribed(t *testing.T, s *store.Store, now *clock, token string) feed.PushSubscription {
	t.Helper()
	if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour}); err != nil {
		t.Fatal(err)
	}
	before, err := s.Sources.SourceCallback(t.Context(), harbour)
	if err != nil || before.FeedURL != harbour {
		t.Fatalf("got %+v, %v", before, err)
	}
	after := before
	after.Token, after.Secret, after.Due = token, "secret", now.Time.Add(time.Minute)
	after.Push = feed.Push{
		State: feed.PushActive, Hub: "https://hub.example/", Topic: harbour, Since: now.Time, LeaseEnd: now.Time.Add(time.Hour),
		LastPush: now.Time, LastPing: now.Time, Pushes: 1, Refused: 2, Missed: 3, Errors: 4, ErrorText: "no",
	}
	after.PendingMode, after.Until = "subscribe", now.Time.Add(time.Second)
	if _, err := s.Sources.ReplaceCallback(t.Context(), before, after); err != nil {
		t.Fatal(err)
	}
	got, err := s.Sources.Callback(t.Context(), token)
	if diff := cmp.Diff(after, got, cmpopts.IgnoreFields(feed.PushSubscription{}, "Revision")); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	return got
}

func TestCallbackIsStoredAndReadWithItsSource(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := subscribed(t, s, now, "TOKEN")
		src, err := s.Sources.SourceByURL(t.Context(), harbour)
		if diff := cmp.Diff(c.Push, src.Push); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if _, err := s.Sources.Callback(t.Context(), "OTHER"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("an unknown token gave %v", err)
		}
	})
}

func TestCallbackChangedByAnotherIsNotReplaced(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		read := subscribed(t, s, now, "TOKEN")
		first, second := read, read
		first.Pushes, second.Pushes = 10, 20
		if _, err := s.Sources.ReplaceCallback(t.Context(), read, first); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sources.ReplaceCallback(t.Context(), read, second); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("got %v, want a conflict", err)
		}
		if got, err := s.Sources.Callback(t.Context(), "TOKEN"); err != nil || got.Pushes != 10 {
			t.Errorf("got %+v, %v", got, err)
		}
		unknown := feed.PushSubscription{FeedURL: "https://nobody.example/"}
		created := unknown
		created.Token = "NEW"
		if _, err := s.Sources.ReplaceCallback(t.Context(), unknown, created); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("a callback of no source gave %v", err)
		}
	})
}

func TestReplacedTokenBecomesASubscriptionToEnd(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		read := subscribed(t, s, now, "OLD")
		renewed := read
		renewed.Token = "NEW"
		if _, err := s.Sources.ReplaceCallback(t.Context(), read, renewed); err != nil {
			t.Fatal(err)
		}
		old, err := s.Sources.Callback(t.Context(), "OLD")
		if err != nil || old.State != feed.PushLeaving || old.FeedURL != harbour || old.Hub != read.Hub || old.PendingMode != "" || old.Errors != 0 {
			t.Fatalf("got %+v, %v", old, err)
		}
		claimed, next, err := s.Sources.ClaimCallbacks(t.Context(), 10, time.Minute)
		if err != nil || len(claimed) != 1 || claimed[0].Token != "OLD" || !next.Equal(now.Time.Add(time.Minute)) {
			t.Fatalf("claimed %+v, next %v, %v", claimed, next, err)
		}
		again := claimed[0]
		again.Errors = 1
		again.Due = now.Time.Add(30 * time.Second)
		if _, err := s.Sources.ReplaceCallback(t.Context(), claimed[0], again); err != nil {
			t.Fatal(err)
		}
		again, err = s.Sources.Callback(t.Context(), "OLD")
		if err != nil || again.Errors != 1 {
			t.Fatalf("got %+v, %v", again, err)
		}
		if _, err := s.Sources.ReplaceCallback(t.Context(), again, feed.PushSubscription{}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sources.Callback(t.Context(), "OLD"); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("a deleted callback gave %v", err)
		}
		if got := raw.StringMap("HGETALL", "push:tokens"); !cmp.Equal(got, map[string]string{"NEW": harbour}) {
			t.Errorf("tokens are %v", got)
		}
		if got := raw.Strings("ZRANGE", "push:due", 0, -1); !cmp.Equal(got, []string{harbour}) {
			t.Errorf("due are %v", got)
		}
	})
}

func TestCallbackIsClaimedOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		subscribed(t, s, now, "TOKEN")
		raw.Do("ZADD", "push:due", 1, "https://removed.example/")
		now.Advance(time.Minute)
		claimed, _, err := s.Sources.ClaimCallbacks(t.Context(), 10, time.Minute)
		if err != nil || len(claimed) != 1 || claimed[0].Token != "TOKEN" {
			t.Fatalf("claimed %+v, %v", claimed, err)
		}
		if again, next, err := s.Sources.ClaimCallbacks(t.Context(), 10, time.Minute); err != nil || len(again) != 0 || !next.Equal(now.Time.Add(time.Minute)) {
			t.Errorf("claimed %+v, next %v, %v", again, next, err)
		}
		now.Advance(time.Minute)
		if again, _, err := s.Sources.ClaimCallbacks(t.Context(), 10, time.Minute); err != nil || len(again) != 1 {
			t.Errorf("after the end of the claim: %+v, %v", again, err)
		}
	})
}

func TestPausedAndRemovedSourcesLeaveTheirHub(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		subscribed(t, s, now, "TOKEN")
		if err := s.Sources.SetPaused(t.Context(), feed.SourceID(harbour), true, 0); err != nil {
			t.Fatal(err)
		}
		src, err := s.Sources.SourceByURL(t.Context(), harbour)
		if err != nil || src.Push.State != feed.PushNone || src.Push.Hub != "https://hub.example/" || !src.Push.LeaseEnd.IsZero() {
			t.Errorf("got %+v, %v", src.Push, err)
		}
		if c, err := s.Sources.Callback(t.Context(), "TOKEN"); err != nil || c.State != feed.PushLeaving {
			t.Errorf("got %+v, %v", c, err)
		}
		if err := s.Sources.RemoveSource(t.Context(), src.ID, 0); err != nil {
			t.Fatal(err)
		}
		if n := raw.Int("EXISTS", harbour+":push"); n != 0 {
			t.Error("the hub of a removed source is still stored")
		}
		claimed, _, err := s.Sources.ClaimCallbacks(t.Context(), 10, time.Minute)
		if err != nil || len(claimed) != 1 || claimed[0].Token != "TOKEN" {
			t.Errorf("claimed %+v, %v", claimed, err)
		}
	})
}

func TestPingMakesASourceDue(t *testing.T) {
	for _, c := range []struct {
		name  string
		state feed.PollState // after the last poll
		want  time.Duration  // from that poll to the next one; -1: never
	}{
		{"well", feed.PollState{NextReason: "interval"}, 3 * time.Second},
		{"failing", feed.PollState{NextReason: "retry after error 1", Errors: 1}, time.Minute},
		{"asked to wait", feed.PollState{NextReason: "Retry-After", Errors: 1}, time.Hour},
		{"gone", feed.PollState{Gone: true, Errors: 1}, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
				polled, begun := claim(t, s), now.Time
				c.state.LastPoll, c.state.NextPoll = begun, begun.Add(time.Hour)
				if err := s.Sources.FinishPoll(t.Context(), &polled, &feed.PollResult{State: c.state}); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					now.Advance(time.Second)
					if err := s.Sources.PollSoon(t.Context(), polled.Source.ID, "news"); err != nil {
						t.Fatal(err)
					}
					at, err := s.Sources.NextDue(t.Context())
					if err != nil || at.IsZero() != (c.want < 0) || c.want >= 0 && at.Sub(begun) != c.want {
						t.Errorf("due at %v, %v", at, err)
					}
				}
				src, err := s.Sources.SourceByURL(t.Context(), harbour)
				if err != nil || src.Poll.Gone != c.state.Gone || (src.Poll.NextReason == "news") != (c.want == 3*time.Second || c.want == time.Minute) {
					t.Errorf("got %+v, %v", src.Poll, err)
				}
				if err := s.Sources.SetPaused(t.Context(), src.ID, true, 0); err != nil {
					t.Fatal(err)
				}
				if err := s.Sources.PollSoon(t.Context(), src.ID, "news"); !errors.Is(err, feed.ErrConflict) {
					t.Errorf("for a paused source: %v", err)
				}
			})
		})
	}
}
