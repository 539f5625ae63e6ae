package source_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSourceIsAddedOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		src := feed.Source{URL: "HTTP://Harbour.example:80/feed.xml#x", Feeds: []string{"production"}, Interval: time.Minute}
		got, added, err := s.Sources.AddSource(t.Context(), src)
		if err != nil || !added || got.URL != harbour || got.State() != feed.SourceActive || !got.Added.Equal(now.Time) {
			t.Fatalf("first: %+v, %v, %v", got, added, err)
		}
		src.Feeds, src.Publish = []string{"production", "development"}, feed.PublishAuto
		got, added, err = s.Sources.AddSource(t.Context(), src)
		if err != nil || added || got.Publish != feed.PublishAuto || !cmp.Equal(got.Feeds, src.Feeds) {
			t.Errorf("second: %+v, %v, %v", got, added, err)
		}
		if got := kinds(t, s); !cmp.Equal(got, []feed.SignalKind{feed.FeedCreated}) {
			t.Errorf("signals are %v", got)
		}
		if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: "ftp://x/"}); !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("an ftp source gave %v", err)
		}
	})
}

func TestRequestSettingsAreStored(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		want := feed.Request{
			Timeout: time.Minute, MinInterval: time.Hour, Headers: map[string]string{"X-Key": "ä b"}, Username: "u",
			Password: "p", Proxy: "direct",
		}
		got, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour, Request: want})
		if err != nil || !cmp.Equal(got.Request, want) {
			t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got.Request))
		}
		got, _, err = s.Sources.AddSource(t.Context(), feed.Source{URL: harbour})
		if err != nil || !cmp.Equal(got.Request, feed.Request{}) {
			t.Errorf("without settings:  %+v, %v", got.Request, err)
		}
	})
}

func TestFiltersAndCategoriesAreStored(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		want := feed.Filters{Keep: []feed.Filter{{Field: "title", Match: `"\bferry\b"`}}}
		src := feed.Source{URL: harbour, Filters: want, Categories: []string{"News/Tech", "Harbour"}}
		got, _, err := s.Sources.AddSource(t.Context(), src)
		if err != nil || !cmp.Equal(got.Filters, want) || !cmp.Equal(got.Categories, src.Categories) {
			t.Fatalf("got %+v, %v", got, err)
		}
		src.Filters, src.Categories = feed.Filters{}, nil
		got, _, err = s.Sources.AddSource(t.Context(), src)
		if err != nil || !got.Filters.IsZero() || len(got.Categories) != 2 {
			t.Errorf("nil categories: got %+v, %v", got, err)
		}
		src.Categories = []string{}
		if got, _, err = s.Sources.AddSource(t.Context(), src); err != nil || len(got.Categories) != 0 {
			t.Errorf("no categories: got %+v, %v", got, err)
		}
		src.Filters.Block = []feed.Filter{{Field: "title", Match: "("}}
		if _, _, err = s.Sources.AddSource(t.Context(), src); !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("a filter that cannot be compiled gave %v", err)
		}
	})
}

func TestChangedFiltersDeleteValidators(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		c := claim(t, s)
		state := feed.PollState{ETag: `"1"`, LastModified: "x", BodySum: "ab", LastPoll: now.Time, NextPoll: now.Time.Add(time.Hour)}
		if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: state}); err != nil {
			t.Fatal(err)
		}
		same := feed.Source{URL: harbour, Feeds: []string{"production"}, Interval: time.Minute}
		got, _, err := s.Sources.AddSource(t.Context(), same)
		if err != nil || got.Poll.ETag == "" {
			t.Fatalf("the same filters: %+v, %v", got.Poll, err)
		}
		same.Filters.Block = []feed.Filter{{Field: "any", Match: "storm"}}
		got, _, err = s.Sources.AddSource(t.Context(), same)
		if err != nil || got.Poll.ETag+got.Poll.LastModified+got.Poll.BodySum != "" || got.Poll.LastPoll.IsZero() {
			t.Errorf("other filters: %+v, %v", got.Poll, err)
		}
	})
}

func TestDamagedFiltersDoNotCompile(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, raw *storetest.Redigo) {
		c := claim(t, s)
		raw.Int("HSET", harbour+":meta", "filters", "{")
		got, err := s.Sources.Source(t.Context(), c.Source.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := got.Filters.Compile(); !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("damaged filters compile: %v", err)
		}
	})
}

func TestPausedSourceIsAddedPaused(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		src := feed.Source{URL: harbour, Paused: true, About: feed.About{Title: "Harbour", Link: "http://harbour.example/"}}
		got, added, err := s.Sources.AddSource(t.Context(), src)
		if err != nil || !added || got.State() != feed.SourcePaused || !got.About.Equal(&src.About) {
			t.Fatalf("got %+v, %v, %v", got, added, err)
		}
		if due, err := s.Sources.NextDue(t.Context()); err != nil || !due.IsZero() {
			t.Errorf("it is due at %v, %v", due, err)
		}
	})
}
