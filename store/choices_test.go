package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// started is a claim of a job that is started.
func started(t *testing.T, s *store.Store, job feed.Job) feed.JobClaim {
	t.Helper()
	if err := s.Ops.StartJob(t.Context(), job, []byte("work of "+job.ID), 4); err != nil {
		t.Fatal(err)
	}
	claim, err := s.Ops.ClaimJob(t.Context())
	if err != nil || claim.Job.ID != job.ID || string(claim.Work) != "work of "+job.ID {
		t.Fatalf("claimed %+v, %v", claim, err)
	}
	return claim
}

func TestJobBelongsToOneDaemonAtATime(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		first := started(t, s, feed.Job{ID: "j1", State: feed.JobWaiting})
		none := func(when string) {
			t.Helper()
			if c, err := s.Ops.ClaimJob(t.Context()); !errors.Is(err, feed.ErrNotFound) {
				t.Errorf("%s: claimed %+v, %v", when, c, err)
			}
		}
		none("while it is worked on")
		first.Job.State, first.Job.Added = feed.JobRunning, 1
		now.Advance(feed.JobLease - time.Second)
		if err := s.Ops.SaveJob(t.Context(), first, 0, []feed.JobResult{{URL: "http://a.example/"}}); err != nil {
			t.Fatal(err)
		}
		now.Advance(feed.JobLease - time.Second)
		none("after a sign of life")
		now.Advance(time.Second)
		second, err := s.Ops.ClaimJob(t.Context())
		if err != nil || second.Job.Added != 1 || second.Token == first.Token || string(second.Work) != "work of j1" {
			t.Fatalf("claimed %+v, %v", second, err)
		}
		first.Job.Added = 2
		if err := s.Ops.SaveJob(t.Context(), first, 1, []feed.JobResult{{URL: "http://b.example/"}}); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("under a lost claim: %v", err)
		}
		if _, results, err := s.Ops.Job(t.Context(), "j1", 0, 10); err != nil || len(results) != 1 {
			t.Errorf("results %v, %v", results, err)
		}
		second.Job.State = feed.JobWaiting
		if err := s.Ops.SaveJob(t.Context(), second, 1, nil); err != nil {
			t.Fatal(err)
		}
		third, err := s.Ops.ClaimJob(t.Context())
		if err != nil {
			t.Fatalf("what was given back: %v", err)
		}
		third.Job.State = feed.JobDone
		if err := s.Ops.SaveJob(t.Context(), third, 1, nil); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Hour)
		none("when it has ended")

		for i := range 4 {
			if err := s.Ops.StartJob(t.Context(), feed.Job{ID: fmt.Sprint("k", i)}, nil, 4); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Ops.StartJob(t.Context(), feed.Job{ID: "k5"}, nil, 4); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("one too many: %v", err)
		}
		if n, err := s.Ops.UnfinishedJobs(t.Context()); err != nil || n != 4 {
			t.Errorf("%d jobs have not ended, %v", n, err)
		}
		raw.Do("DEL", "job:k0:work", "job:k0") // their time is over
		if c, err := s.Ops.ClaimJob(t.Context()); err != nil || c.Job.ID != "k1" || raw.Int("ZCARD", "jobs") != 3 {
			t.Errorf("claimed %+v, %v", c, err)
		}
	})
}

func TestRestartedDaemonReclaimsItsJobs(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, dial store.DialFunc) {
		now := storetest.NewClock()
		killed := open(t, store.Options{Dial: dial, Now: now.Now, Owner: "a"})
		other := open(t, store.Options{Dial: dial, Now: now.Now, Owner: "ab"})
		lost := started(t, killed, feed.Job{ID: "j1", State: feed.JobWaiting})
		if n, err := other.Ops.ReclaimJobs(t.Context()); n != 0 || err != nil {
			t.Errorf("another daemon reclaimed %d jobs, %v", n, err)
		}
		if n, err := killed.Ops.ReclaimJobs(t.Context()); n != 1 || err != nil {
			t.Errorf("reclaimed %d jobs, %v", n, err)
		}
		if n, err := killed.Ops.ReclaimJobs(t.Context()); n != 0 || err != nil {
			t.Errorf("the second time: reclaimed %d jobs, %v", n, err)
		}
		if got, err := other.Ops.ClaimJob(t.Context()); got.Job.ID != "j1" || err != nil {
			t.Errorf("claimed %+v, %v", got, err)
		}
		lost.Job.State = feed.JobRunning
		if err := killed.Ops.SaveJob(t.Context(), lost, 0, nil); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("saving under the previous claim gave %v", err)
		}
	})
}

func TestJobIsKeptForADay(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		var results []feed.JobResult
		for i := range 5 {
			results = append(results, feed.JobResult{URL: fmt.Sprintf("http://h.example/%d", i), Outcome: feed.JobAdded})
		}
		claim := started(t, s, feed.Job{ID: "j1", State: feed.JobWaiting, Created: now.Time, Updated: now.Time, Total: 5})
		claim.Job.State, claim.Job.Added = feed.JobRunning, 3
		for range 2 { // as after a lost reply
			if err := s.Ops.SaveJob(t.Context(), claim, 0, results[:3]); err != nil {
				t.Fatal(err)
			}
		}
		claim.Job.Added = 5
		if err := s.Ops.SaveJob(t.Context(), claim, 3, results[3:]); err != nil {
			t.Fatal(err)
		}
		got, of, err := s.Ops.Job(t.Context(), "j1", 1, 3)
		if err != nil || !cmp.Equal(got, claim.Job) || !cmp.Equal(of, results[1:4]) {
			t.Errorf("got %+v, %v, %v", got, of, err)
		}
		for _, key := range []string{"job:j1", "job:j1:results", "job:j1:work"} {
			if ttl := raw.Int("TTL", key); ttl < 86000 || ttl > 86400 {
				t.Errorf("%s lives for %d s", key, ttl)
			}
		}
		now.Advance(time.Minute)
		if got, _, _ := s.Ops.Job(t.Context(), "j1", 0, 10); got.State != feed.JobWaiting {
			t.Errorf("without a sign of life it is %s", got.State)
		}
		claim.Job.State = feed.JobDone
		for range 2 {
			if err := s.Ops.SaveJob(t.Context(), claim, 5, nil); err != nil {
				t.Fatal(err)
			}
		}
		if n := raw.Int("EXISTS", "job:j1:work", "jobs"); n != 0 {
			t.Error("the work of a job that has ended is kept")
		}
		if _, _, err := s.Ops.Job(t.Context(), "j2", 0, 10); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("an unknown job gave %v", err)
		}
	})
}
