package source_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// polite runs a test with two daemons and a HostDelay of two seconds.
func polite(t *testing.T, test func(t *testing.T, one, two *store.Store, now *clock, raw *storetest.Redigo)) {
	t.Helper()
	storetest.EachEngine(t, func(t *testing.T, dial store.DialFunc) {
		now := storetest.NewClock()
		opts := store.Options{Dial: dial, Now: now.Now, HostDelay: 2 * time.Second, Prefix: "news:", Owner: "a"}
		if storetest.Sharded() {
			opts.Prefix = "" // like the raw commands
		}
		one := open(t, opts)
		opts.Owner = "b"
		test(t, one, open(t, opts), now, commands(t, dial))
	})
}

func add(t testing.TB, s *store.Store, urls ...string) {
	t.Helper()
	for _, url := range urls {
		if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: url}); err != nil {
			t.Fatal(err)
		}
	}
}

// claimed claims due sources.
func claimed(t testing.TB, s *store.Store, most int) []feed.Claim {
	t.Helper()
	claims, err := s.Sources.ClaimSources(t.Context(), most, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

func TestHostHasOnePollAtATime(t *testing.T) {
	polite(t, func(t *testing.T, one, two *store.Store, now *clock, _ *storetest.Redigo) {
		add(t, one, "http://a.example/1", "http://a.example/2", "http://a.example:8080/3", "http://b.example/1")
		mine, theirs := claimed(t, one, 10), claimed(t, two, 10)
		if len(mine) != 2 || len(theirs) != 0 {
			t.Fatalf("claimed %d and %d, want one of each host and no more", len(mine), len(theirs))
		}
		now.Advance(10 * time.Second) // the poll is still under way
		if got := claimed(t, two, 10); len(got) != 0 {
			t.Fatalf("claimed %s while its host is busy", got[0].Source.URL)
		}
		for _, c := range mine {
			if err := one.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: feed.PollState{NextPoll: now.Time.Add(time.Hour)}}); err != nil {
				t.Fatal(err)
			}
		}
		if got := claimed(t, two, 10); len(got) != 0 {
			t.Fatalf("claimed %s at once after the poll before", got[0].Source.URL)
		}
		var last time.Time
		for n := 0; n < 2; now.Advance(time.Second) {
			if now.Time.Sub(last) > time.Hour && !last.IsZero() {
				t.Fatal("the others are never claimed")
			}
			got := claimed(t, two, 10)
			if len(got) > 1 || len(got) == 1 && now.Time.Sub(last) < 2*time.Second {
				t.Fatalf("claimed %d, %v after the poll before", len(got), now.Time.Sub(last))
			}
			for _, c := range got {
				n, last = n+1, now.Time
				if err := two.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: feed.PollState{NextPoll: now.Time.Add(time.Hour)}}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestQueuedSourceShowsItsReason(t *testing.T) {
	polite(t, func(t *testing.T, one, _ *store.Store, now *clock, _ *storetest.Redigo) {
		add(t, one, "http://a.example/1", "http://a.example/2")
		first := claimed(t, one, 10)
		rest := slices.DeleteFunc([]string{"http://a.example/1", "http://a.example/2"}, func(u string) bool {
			return u == first[0].Source.URL
		})
		got, err := one.Sources.Source(t.Context(), feed.SourceID(rest[0]))
		if err != nil || got.Poll.NextReason != "queued for a.example" || !got.Poll.NextPoll.Equal(now.Time.Add(4*time.Second)) {
			t.Errorf("got %+v, %v", got.Poll, err)
		}
	})
}

func TestPausedHostIsNotPolled(t *testing.T) {
	polite(t, func(t *testing.T, one, two *store.Store, now *clock, _ *storetest.Redigo) {
		add(t, one, "http://a.example/1", "http://a.example/2", "http://b.example/1")
		for _, c := range claimed(t, one, 10) {
			polled := feed.PollResult{State: feed.PollState{NextPoll: now.Time.Add(10 * time.Hour)}}
			if feed.Host(c.Source.URL) == "a.example" {
				polled.PauseHost = now.Time.Add(time.Hour)
			}
			if err := one.Sources.FinishPoll(t.Context(), &c, &polled); err != nil {
				t.Fatal(err)
			}
		}
		now.Advance(59 * time.Minute)
		if got := claimed(t, two, 10); len(got) != 0 {
			t.Errorf("claimed %s in the pause of its host", got[0].Source.URL)
		}
		now.Advance(2 * time.Minute)
		if got := claimed(t, two, 10); len(got) != 1 {
			t.Errorf("claimed %d after the pause", len(got))
		}
	})
}

func TestReleasedAndReclaimedSourcesReleaseTheirHosts(t *testing.T) {
	polite(t, func(t *testing.T, one, _ *store.Store, _ *clock, raw *storetest.Redigo) {
		add(t, one, "http://a.example/1")
		if err := one.Sources.ReleaseSource(t.Context(), &claimed(t, one, 1)[0]); err != nil {
			t.Fatal(err)
		}
		if n := len(claimed(t, one, 1)); n != 1 {
			t.Fatalf("claimed %d after the release", n)
		}
		if n, err := one.Sources.ReclaimSources(t.Context()); n != 1 || err != nil {
			t.Fatalf("reclaimed %d, %v", n, err)
		}
		host := "news:host:a.example"
		if raw.Sharded() {
			host = "host:a.example"
		}
		if busy := raw.Int("HEXISTS", host, "busy"); busy != 0 {
			t.Error("the host is still busy with an interrupted poll")
		}
		if ttl := raw.Int("PTTL", host); ttl <= 0 {
			t.Errorf("the host is remembered for %d ms", ttl)
		}
	})
}

func TestRenewedLeaseKeepsSourceAndHost(t *testing.T) {
	polite(t, func(t *testing.T, one, two *store.Store, now *clock, _ *storetest.Redigo) {
		add(t, one, "http://a.example/1", "http://a.example/2")
		c := claimed(t, one, 1)[0]
		for range 5 {
			now.Advance(50 * time.Second)
			if err := one.Sources.RenewLease(t.Context(), c, time.Minute); err != nil {
				t.Fatal(err)
			}
			if got := claimed(t, two, 10); len(got) != 0 {
				t.Fatalf("claimed %s while the lease holds", got[0].Source.URL)
			}
		}
		now.Advance(2 * time.Minute)
		if got := claimed(t, two, 10); len(got) != 1 {
			t.Errorf("claimed %d after the lease", len(got))
		}
		now.Advance(2 * time.Minute)
		claimed(t, two, 10)
		if err := one.Sources.RenewLease(t.Context(), c, time.Minute); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("renewing a lost lease gave %v", err)
		}
	})
}

func TestManyNewSourcesAreSpread(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, dial store.DialFunc) {
		now := storetest.NewClock()
		s := open(t, store.Options{Dial: dial, Now: now.Now, Spread: time.Hour})
		for i := range 200 {
			add(t, s, fmt.Sprintf("http://crowd.example/%d", i)) // one host: each shard counts its own additions
		}
		if n := len(claimed(t, s, 1000)); n != 10 {
			t.Errorf("%d are due at once, want 10", n)
		}
		total, most := 10, 0
		for range 60 {
			now.Advance(time.Minute)
			n := len(claimed(t, s, 1000)) - total // the earlier leases have ended
			total, most = total+n, max(most, n)
			for _, c := range claimed(t, s, 1000) {
				t.Errorf("%s claimed twice", c.Source.URL)
			}
		}
		if total != 200 || most > 15 {
			t.Errorf("%d of 200 came due within the hour, at most %d in a minute", total, most)
		}
		now.Advance(time.Minute)
		add(t, s, "http://one.example/")
		got, err := s.Sources.SourceByURL(t.Context(), "http://one.example/")
		if err != nil || !got.Poll.NextPoll.Equal(now.Time) {
			t.Errorf("a single source is due at %v, %v", got.Poll.NextPoll, err)
		}
		add(t, s, "http://crowd.example/199") // stored: its due time does not change
		if got, err := s.Sources.SourceByURL(t.Context(), "http://crowd.example/199"); err != nil || got.Poll.NextPoll.Equal(now.Time) {
			t.Errorf("a known source is due at once, %v", err)
		}
	})
}

func TestRequestedPollRespectsTheFloor(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, dial store.DialFunc) {
		now := storetest.NewClock()
		s := open(t, store.Options{Dial: dial, Now: now.Now, PollFloor: 5 * time.Minute})
		c := claim(t, s)
		state := feed.PollState{LastPoll: now.Time, NextPoll: now.Time.Add(time.Hour)}
		if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: state}); err != nil {
			t.Fatal(err)
		}
		due := func() time.Duration {
			t.Helper()
			if err := s.Sources.PollSource(t.Context(), c.Source.ID, 0); err != nil {
				t.Fatal(err)
			}
			at, err := s.Sources.NextDue(t.Context())
			got, err2 := s.Sources.Source(t.Context(), c.Source.ID)
			if err != nil || err2 != nil || !got.Poll.NextPoll.Equal(at) {
				t.Errorf("due at %v, shown as %v; %v, %v", at, got.Poll.NextPoll, err, err2)
			}
			return at.Sub(now.Time)
		}
		now.Advance(time.Minute)
		if got := due(); got != 4*time.Minute {
			t.Errorf("due in %v, want 4m", got)
		}
		if got := due(); got != 4*time.Minute {
			t.Errorf("asked again, due in %v", got)
		}
	})
}

// The poll under way may have read the document before the news was published.
func TestPollRequestedDuringAPollFollowsIt(t *testing.T) {
	for name, c := range map[string]struct {
		state feed.PollState // of the poll under way, with the time of the next one from its end
		next  time.Duration
		want  time.Duration // until the next poll, from when it was asked for; 0: none
	}{
		"as usual":           {feed.PollState{NextReason: "as it posts"}, time.Hour, 10 * time.Second},
		"due sooner anyway":  {feed.PollState{NextReason: "as it posts"}, time.Second, 2 * time.Second},
		"its server says no": {feed.PollState{NextReason: "Retry-After", Status: 503}, time.Hour, time.Hour + time.Second},
		"gone":               {feed.PollState{Gone: true, Status: 410}, time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.EachEngine(t, func(t *testing.T, dial store.DialFunc) {
				now := storetest.NewClock()
				s := open(t, store.Options{Dial: dial, Now: now.Now, PollFloor: 10 * time.Second})
				claimed, asked := claim(t, s), now.Time
				if err := s.Sources.PollSource(t.Context(), claimed.Source.ID, 0); err != nil {
					t.Fatal(err)
				}
				now.Advance(time.Second)
				c.state.LastPoll, c.state.NextPoll = now.Time, now.Time.Add(c.next)
				if err := s.Sources.FinishPoll(t.Context(), &claimed, &feed.PollResult{State: c.state}); err != nil {
					t.Fatal(err)
				}
				due, err := s.Sources.NextDue(t.Context())
				if want := asked.Add(c.want); c.want > 0 && !due.Equal(want) || c.want == 0 && !due.IsZero() || err != nil {
					t.Fatalf("due at %v, %v; it was asked for at %v", due, err, asked)
				}
				if got, err := s.Sources.Source(t.Context(), claimed.Source.ID); err != nil || c.want > 0 && !got.Poll.NextPoll.Equal(due) {
					t.Errorf("shown as due at %v, %v", got.Poll.NextPoll, err)
				}
				if c.want == 0 {
					return
				}
				now.Advance(c.want)
				again, err := s.Sources.ClaimSources(t.Context(), 1, time.Minute)
				if err != nil || len(again) != 1 {
					t.Fatalf("claimed %v, %v", again, err)
				}
				later := feed.PollState{LastPoll: now.Time, NextPoll: now.Time.Add(time.Hour)}
				if err := s.Sources.FinishPoll(t.Context(), &again[0], &feed.PollResult{State: later}); err != nil {
					t.Fatal(err)
				}
				if due, err := s.Sources.NextDue(t.Context()); err != nil || !due.Equal(later.NextPoll) {
					t.Errorf("and then due at %v, %v: it was asked for once", due, err)
				}
			})
		})
	}
}

func TestHistoryHasTheLastPolls(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		for i := range feed.MaxPolls + 5 {
			line := feed.Poll{Time: now.Time, DurationMS: int64(i), Status: 500, New: 1, Modified: 2, Class: "http_5xx"}
			raw.Do("HSET", harbour+":meta", "saved", "3 "+c.Token)
			if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: feed.PollState{NextPoll: now.Time}, Poll: line}); err != nil {
				t.Fatal(err)
			}
			c = claimed(t, s, 1)[0]
		}
		got, err := s.Sources.Source(t.Context(), feed.SourceID(harbour))
		if err != nil || len(got.Polls) != feed.MaxPolls {
			t.Fatalf("got %d polls, %v", len(got.Polls), err)
		}
		want := feed.Poll{Time: now.Time, DurationMS: 54, Status: 500, New: 1, Modified: 2, Class: "http_5xx"}
		if !cmp.Equal(got.Polls[0], want) {
			t.Errorf("the newest is %+v, want %+v", got.Polls[0], want)
		}
	})
}

func TestClaimSourceRespectsLeasesHostsAndPauses(t *testing.T) {
	polite(t, func(t *testing.T, one, two *store.Store, now *clock, _ *storetest.Redigo) {
		add(t, one, "http://a.example/1", "http://a.example/2")
		first, second := feed.SourceID("http://a.example/1"), feed.SourceID("http://a.example/2")
		c, err := one.Sources.ClaimSource(t.Context(), first, time.Minute)
		if err != nil || c.Source.URL != "http://a.example/1" || !c.Due.Equal(now.Time) {
			t.Fatalf("got %+v, %v", c, err)
		}
		refused := func(id string, want error) {
			t.Helper()
			if _, err := two.Sources.ClaimSource(t.Context(), id, time.Minute); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		refused(first, feed.ErrConflict)  // its poll is under way
		refused(second, feed.ErrConflict) // a poll of its host is under way
		refused("0123456789ab", feed.ErrNotFound)
		if got := claimed(t, two, 10); len(got) != 0 {
			t.Errorf("claimed %s as well", got[0].Source.URL)
		}
		if err := one.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: feed.PollState{NextPoll: now.Time.Add(time.Hour)}}); err != nil {
			t.Fatal(err)
		}
		refused(second, feed.ErrConflict) // within the delay of its host
		now.Advance(3 * time.Second)
		if c, err = two.Sources.ClaimSource(t.Context(), second, time.Minute); err != nil {
			t.Error(err)
		}
		if err := two.Sources.ReleaseSource(t.Context(), &c); err != nil {
			t.Error(err)
		}
		if err := one.Sources.SetPaused(t.Context(), second, true, 0); err != nil {
			t.Error(err)
		}
		refused(second, feed.ErrConflict)
	})
}
