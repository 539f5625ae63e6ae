package article_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestVisitsAreReadNewestFirstAndTrimmed(t *testing.T) {
	each(t, func(t *testing.T, s *article.Store, now *storetest.Clock, raw *storetest.Redigo) {
		first := feed.Visit{Time: now.Time, Client: "facebook", Status: 200, Counted: true}
		second := feed.Visit{Time: now.Time.Add(time.Second), Client: "browser", Status: 304}
		if err := s.AddVisits(t.Context(), "production", []feed.Visit{first, second}); err != nil {
			t.Fatal(err)
		}
		states, err := s.FeedStates(t.Context(), []string{"development", "production"}, 10)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]feed.Visit{second, first}, states[1].Visits); diff != "" || states[0].Visits != nil {
			t.Errorf("visits of development: %v; of production (-want +got):\n%s", states[0].Visits, diff)
		}
		if err := s.AddVisits(t.Context(), "production", slices.Repeat([]feed.Visit{first}, feed.MaxVisits+500)); err != nil {
			t.Fatal(err)
		}
		if n := raw.Int("XLEN", "visits:production"); n > feed.MaxVisits+100 {
			t.Errorf("%d visits are stored", n)
		}
	})
}
