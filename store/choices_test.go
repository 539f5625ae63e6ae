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

func TestFiltersAndCategoriesAreKept(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		want := feed.Filters{Keep: []feed.Filter{{Field: "title", Match: `"\bferry\b"`}}}
		src := feed.Source{URL: harbour, Filters: want, Categories: []string{"News/Tech", "Harbour"}}
		got, _, err := s.AddSource(t.Context(), src)
		if err != nil || !cmp.Equal(got.Filters, want) || !cmp.Equal(got.Categories, src.Categories) {
			t.Fatalf("got %+v, %v", got, err)
		}
		src.Filters, src.Categories = feed.Filters{}, nil
		got, _, err = s.AddSource(t.Context(), src)
		if err != nil || !got.Filters.IsZero() || len(got.Categories) != 2 {
			t.Errorf("nil categories: got %+v, %v", got, err)
		}
		src.Categories = []string{}
		if got, _, err = s.AddSource(t.Context(), src); err != nil || len(got.Categories) != 0 {
			t.Errorf("no categories: got %+v, %v", got, err)
		}
		src.Filters.Block = []feed.Filter{{Field: "title", Match: "("}}
		if _, _, err = s.AddSource(t.Context(), src); !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("a filter that cannot be compiled gave %v", err)
		}
	})
}

func TestNewFiltersLetTheLastDocumentBeReadAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		state := feed.PollState{ETag: `"1"`, LastModified: "x", BodySum: "ab", LastPoll: now.now, NextPoll: now.now.Add(time.Hour)}
		if err := s.FinishPoll(t.Context(), c, feed.Polled{State: state}); err != nil {
			t.Fatal(err)
		}
		same := feed.Source{URL: harbour, Feeds: []string{"production"}, Interval: time.Minute}
		got, _, err := s.AddSource(t.Context(), same)
		if err != nil || got.Poll.ETag == "" {
			t.Fatalf("the same filters: %+v, %v", got.Poll, err)
		}
		same.Filters.Block = []feed.Filter{{Field: "any", Match: "storm"}}
		got, _, err = s.AddSource(t.Context(), same)
		if err != nil || got.Poll.ETag+got.Poll.LastModified+got.Poll.BodySum != "" || got.Poll.LastPoll.IsZero() {
			t.Errorf("other filters: %+v, %v", got.Poll, err)
		}
	})
}

func TestDamagedFiltersDoNotLetEverythingIn(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		raw.Int("HSET", harbour+":meta", "filters", "{")
		got, err := s.Source(t.Context(), c.Source.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := got.Filters.Compile(); !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("damaged filters compile: %v", err)
		}
	})
}

func TestAPausedSourceIsAddedPaused(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		src := feed.Source{URL: harbour, Paused: true, About: feed.About{Title: "Harbour", Link: "http://harbour.example/"}}
		got, added, err := s.AddSource(t.Context(), src)
		if err != nil || !added || got.State() != feed.SourcePaused || got.About != src.About {
			t.Fatalf("got %+v, %v, %v", got, added, err)
		}
		if due, err := s.NextDue(t.Context()); err != nil || !due.IsZero() {
			t.Errorf("it is due at %v, %v", due, err)
		}
	})
}

func TestJobIsKeptForADay(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, raw *storetest.Redigo) {
		var results []feed.JobResult
		for i := range 5 {
			results = append(results, feed.JobResult{URL: fmt.Sprintf("http://h.example/%d", i), Outcome: feed.JobAdded})
		}
		job := feed.Job{ID: "j1", State: feed.JobRunning, Created: now.now, Updated: now.now, Total: 5, Added: 3}
		for range 2 { // as after a lost reply
			if err := s.SaveJob(t.Context(), job, 0, results[:3]); err != nil {
				t.Fatal(err)
			}
		}
		job.Added = 5
		if err := s.SaveJob(t.Context(), job, 3, results[3:]); err != nil {
			t.Fatal(err)
		}
		got, of, err := s.Job(t.Context(), "j1", 1, 3)
		if err != nil || !cmp.Equal(got, job) || !cmp.Equal(of, results[1:4]) {
			t.Errorf("got %+v, %v, %v", got, of, err)
		}
		for _, key := range []string{"job:j1", "job:j1:results"} {
			if ttl := raw.Int("TTL", key); ttl < 86000 || ttl > 86400 {
				t.Errorf("%s lives for %d s", key, ttl)
			}
		}
		now.Advance(time.Minute)
		if got, _, _ := s.Job(t.Context(), "j1", 0, 10); got.State != feed.JobInterrupted || got.Error == "" {
			t.Errorf("without a sign of life it is %s, %q", got.State, got.Error)
		}
		if _, _, err := s.Job(t.Context(), "j2", 0, 10); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("an unknown job gave %v", err)
		}
	})
}
