package source_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestPollStateIsStored(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		want := feed.PollState{
			ETag: `W/"x"`, LastModified: "Fri, 20 Nov 2026 12:00:00 GMT", BodySum: "ab", LastPoll: now.Time, LastOK: now.Time,
			LastDocument: now.Time, Entries: 3, NextPoll: now.Time.Add(time.Hour), NextReason: "interval", Status: 200,
			GoneSince: now.Time, FailingSince: now.Time, Validated: harbour, LastFull: now.Time, Generation: 2,
			Move:  feed.Move{To: "http://quay.example/", Since: now.Time, Seen: 4, Adopted: now.Time, Checked: now.Time},
			Rate:  feed.Rate{Posts: 1.5, Hours: 336.25},
			Hints: feed.Hints{Interval: feed.Duration(time.Hour), SkipHours: 1 << 23, SkipDays: 1 << 6},
		}
		line := feed.Poll{Time: now.Time, DurationMS: 40, Status: 200, New: 3}
		raw.Do("HSET", harbour+":meta", "saved", "3 "+c.Token)
		if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: want, Poll: line}); err != nil {
			t.Fatal(err)
		}
		got, err := s.Sources.Source(t.Context(), c.Source.ID)
		if err != nil || !cmp.Equal(got.Poll, want) {
			t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got.Poll))
		}
		if !cmp.Equal(got.Polls, []feed.Poll{line}) {
			t.Errorf("the history is %v", got.Polls)
		}
		due, err := s.Sources.NextDue(t.Context())
		if err != nil || !due.Equal(want.NextPoll) {
			t.Errorf("next due %v, %v", due, err)
		}
	})
}

func TestPollRemovesSecretsThatBelongElsewhere(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		before := feed.Source{URL: harbour, Request: feed.Request{
			Username: "ann", Password: "secret", Headers: map[string]string{"X-Key": "secret", "Accept": "text/xml"}, Proxy: "direct",
		}}
		added, _, err := s.Sources.AddSource(t.Context(), before)
		if err != nil {
			t.Fatal(err)
		}
		c := claimed(t, s, 1)[0]
		result := feed.PollResult{State: feed.PollState{NextPoll: now.Time}, Cleared: "the source moved"}
		if err := s.Sources.FinishPoll(t.Context(), &c, &result); err != nil {
			t.Fatal(err)
		}
		got, err := s.Sources.Source(t.Context(), added.ID)
		want := feed.Request{Headers: map[string]string{"Accept": "text/xml"}, Proxy: "direct", Cleared: "the source moved"}
		if err != nil || !cmp.Equal(got.Request, want) || got.Revision != c.Source.Revision+1 {
			t.Errorf("revision %d, %v (-want +got):\n%s", got.Revision, err, cmp.Diff(want, got.Request))
		}
	})
}

func TestPauseResumePollRemove(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		id := c.Source.ID
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(s.Sources.SetPaused(t.Context(), id, true, 0))
		must(s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: feed.PollState{NextPoll: now.Time}}))
		if due, err := s.Sources.NextDue(t.Context()); !due.IsZero() || err != nil {
			t.Errorf("a source paused during its poll is due at %v, %v", due, err)
		}
		if err := s.Sources.PollSource(t.Context(), id, 0); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("polling a paused source gave %v", err)
		}
		must(s.Sources.SetPaused(t.Context(), id, false, 0))
		claims, err := s.Sources.ClaimSources(t.Context(), 5, time.Minute)
		if err != nil || len(claims) != 1 {
			t.Fatalf("claimed %d after resuming, %v", len(claims), err)
		}
		must(s.Sources.FinishPoll(t.Context(), &claims[0], &feed.PollResult{State: feed.PollState{Gone: true, Status: 410, NextPoll: now.Time}}))
		if got, err := s.Sources.Source(t.Context(), id); got.State() != feed.SourceGone || err != nil {
			t.Errorf("after 410 it is %s, %v", got.State(), err)
		}
		must(s.Sources.PollSource(t.Context(), id, 0))
		claims, err = s.Sources.ClaimSources(t.Context(), 5, time.Minute)
		if err != nil || len(claims) != 1 {
			t.Fatalf("claimed %d, %v", len(claims), err)
		}
		must(s.Sources.ReleaseSource(t.Context(), &claims[0]))
		if due, err := s.Sources.NextDue(t.Context()); !due.Equal(now.Time) || err != nil {
			t.Errorf("released, it is due at %v, %v", due, err)
		}
		e := entry("g", "T", now.Time)
		must(s.Entries.SaveEntry(t.Context(), &e))
		must(s.Sources.RemoveSource(t.Context(), id, 0))
		counted := fmt.Sprint("activity:", now.Time.Unix()/60)
		want := []string{counted, "ids:Entry", "removed:" + id, "signals"}
		if raw.Sharded() {
			want = append(want, "signals", "signals:gathered") // an outbox, and how far it is merged
		}
		if left := slices.Sorted(slices.Values(raw.Keys("*"))); !slices.Equal(left, want) {
			t.Errorf("keys left: %v", left)
		}
		if err := s.Sources.RemoveSource(t.Context(), id, 0); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("removing it again gave %v", err)
		}
	})
}

func TestRestartedDaemonReclaimsItsSources(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, dial store.DialFunc) {
		now := storetest.NewClock()
		killed := open(t, store.Options{Dial: dial, Now: now.Now, Owner: "a"})
		other := open(t, store.Options{Dial: dial, Now: now.Now, Owner: "ab"})
		lost := claim(t, killed)
		if n, err := other.Sources.ReclaimSources(t.Context()); n != 0 || err != nil {
			t.Errorf("another daemon reclaimed %d sources, %v", n, err)
		}
		if n, err := killed.Sources.ReclaimSources(t.Context()); n != 1 || err != nil {
			t.Errorf("reclaimed %d sources, %v", n, err)
		}
		if got, err := killed.Sources.ClaimSources(t.Context(), 1, time.Minute); len(got) != 1 || err != nil {
			t.Errorf("claimed %d sources, %v", len(got), err)
		}
		if err := killed.Sources.FinishPoll(t.Context(), &lost, &feed.PollResult{State: feed.PollState{}}); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("finishing the previous poll gave %v", err)
		}
	})
}

func TestManyDaemonsClaimEachSourceOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		const sources = 100
		for i := range sources {
			if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: fmt.Sprintf("http://s%d.example/", i)}); err != nil {
				t.Fatal(err)
			}
		}
		var mu sync.Mutex
		seen := make(map[string]int)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					claims, err := s.Sources.ClaimSources(t.Context(), 7, time.Minute)
					if err != nil {
						t.Error(err)
					}
					if len(claims) == 0 {
						return
					}
					mu.Lock()
					for _, c := range claims {
						seen[c.Source.URL]++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for url, n := range seen {
			if n != 1 {
				t.Errorf("%s was claimed %d times", url, n)
			}
		}
		if len(seen) != sources {
			t.Errorf("%d of %d sources were claimed", len(seen), sources)
		}
	})
}

func TestPollSourcesSkipsPausedAndGoneSources(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, dial store.DialFunc) {
		now := storetest.NewClock()
		s := open(t, store.Options{Dial: dial, Now: now.Now, PollFloor: 10 * time.Second})
		const sources = 600 // more than one batch
		ids := make([]string, sources)
		for i := range ids {
			added, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: fmt.Sprintf("http://harbour.example/%d", i), Paused: i == 0})
			if err != nil {
				t.Fatal(err)
			}
			ids[i] = added.ID
		}
		claims, err := s.Sources.ClaimSources(t.Context(), sources, time.Minute)
		if err != nil || len(claims) != sources-1 {
			t.Fatalf("claimed %d, %v", len(claims), err)
		}
		for i, c := range claims { // the last poll is still under way, and one source is gone
			state := feed.PollState{LastPoll: now.Now(), NextPoll: now.Now().Add(time.Hour), Gone: i == 1}
			if i == len(claims)-1 {
				break
			}
			if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: state}); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // it is safe to repeat
			if due, err := s.Sources.PollSources(t.Context()); err != nil || due != sources-2 {
				t.Errorf("%d of %d sources are due, %v; all but one paused and one gone should be", due, sources, err)
			}
		}
		if claims, err := s.Sources.ClaimSources(t.Context(), sources, time.Minute); err != nil || len(claims) != 0 {
			t.Errorf("%d sources are due right after their polls, %v", len(claims), err)
		}
		now.Advance(11 * time.Second)
		claims, err = s.Sources.ClaimSources(t.Context(), sources, time.Minute)
		if err != nil || len(claims) != sources-3 {
			t.Errorf("%d sources are due, %v", len(claims), err)
		}
		if reason := claims[0].Source.Poll.NextReason; reason != "requested" {
			t.Errorf("the reason is %q", reason)
		}
	})
}

// A replica that became the master may lack entries that a poll saved. If the poll stored its validators there, the document would
// never be processed again.
func TestPollIsNotFinishedWithoutItsEntries(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		save := func(guids ...string) (n int) {
			for _, guid := range guids { // in several calls, like a large document
				saved, err := s.Entries.SaveEntries(t.Context(), c, feed.Document{Entries: []feed.Entry{entry(guid, guid, now.Now())}})
				if err != nil {
					t.Fatal(err)
				}
				n += saved.Created
			}
			return n
		}
		polled := feed.PollResult{State: feed.PollState{ETag: `"2"`, NextPoll: now.Now()}, Poll: feed.Poll{Time: now.Now()}}
		polled.Poll.New = save("g1")
		mark := string(raw.Do("HGET", harbour+":meta", "saved").([]byte))
		polled.Poll.New += save("g2", "g3")
		raw.Do("HSET", harbour+":meta", "saved", mark) // as before the last two entries
		if err := s.Sources.FinishPoll(t.Context(), &c, &polled); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("two of three entries are lost, and the poll ended with %v", err)
		}
		if src, err := s.Sources.SourceByURL(t.Context(), harbour); err != nil || src.Poll.ETag != "" {
			t.Errorf("the poll left the validator %q, %v", src.Poll.ETag, err)
		}
		again, err := s.Sources.ClaimSources(t.Context(), 1, time.Minute)
		if err != nil || len(again) != 1 {
			t.Fatalf("the next claim gave %d sources, %v", len(again), err)
		}
		c = again[0]
		polled.Poll.New = save("g4", "g5")
		if err := s.Sources.FinishPoll(t.Context(), &c, &polled); err != nil {
			t.Error(err)
		}
		if left := raw.Int("HEXISTS", harbour+":meta", "saved"); left != 0 {
			t.Error("the mark remains after its poll")
		}
	})
}

// A clock that is set back leaves all due times in the future. Due times planned since then do not change.
func TestClockSetBackBringsPollsForward(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		state := feed.PollState{LastPoll: now.Time, NextPoll: now.Time.Add(10 * time.Minute)}
		if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: state}); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Sources.ClockSetBack(t.Context()); n != 0 || err != nil {
			t.Errorf("a correct clock: %d sources, %v", n, err)
		}
		now.Advance(-time.Hour)
		for range 2 {
			if n, err := s.Sources.ClockSetBack(t.Context()); n != 1 || err != nil {
				t.Errorf("a clock that was set back: %d sources, %v", n, err)
			}
			if due, err := s.Sources.NextDue(t.Context()); err != nil || !due.Equal(now.Time.Add(10*time.Minute)) {
				t.Errorf("the source is due at %v, %v; want ten minutes from %v", due, err, now.Time)
			}
		}
	})
}

func TestClockSetBackBringsStepsOfSubscriptionsForward(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		subscribed(t, s, now, "TOKEN") // its next step is in a minute
		c := claim(t, s)
		state := feed.PollState{LastPoll: now.Time, NextPoll: now.Time.Add(time.Hour)}
		if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: state}); err != nil {
			t.Fatal(err)
		}
		now.Advance(-24 * time.Hour)
		for range 2 {
			if _, err := s.Sources.ClockSetBack(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if due, next, err := s.Sources.ClaimCallbacks(t.Context(), 1, time.Minute); len(due) != 0 || !next.Equal(now.Time.Add(time.Minute)) || err != nil {
			t.Errorf("%d steps are due, the next one at %v, %v; want a minute from %v", len(due), next, err, now.Time)
		}
	})
}

// Claims follow due times across all shards.
func TestClaimsFollowDueTimes(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		var want []string
		for i := range 30 {
			want = append(want, fmt.Sprintf("http://s%d.example/feed", i))
			add(t, s, want[i])
			now.Advance(time.Second)
		}
		var got []string
		for len(got) < len(want) {
			claims, err := s.Sources.ClaimSources(t.Context(), 7, time.Minute)
			if err != nil || len(claims) != min(7, len(want)-len(got)) {
				t.Fatalf("claimed %d after %d, %v", len(claims), len(got), err)
			}
			for _, c := range claims {
				got = append(got, c.Source.URL)
			}
		}
		if !cmp.Equal(got, want) {
			t.Errorf("claimed %v", got)
		}
	})
}
