package source_test

import (
	"errors"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestLocalSourceIsNeverPolled(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		src, added, err := s.Sources.AddSource(t.Context(), feed.Source{URL: feed.LocalURL("notes"), About: feed.About{Title: "Notes"}})
		if err != nil || !added || !src.Local() || src.State() != feed.SourceActive || !src.Poll.NextPoll.IsZero() {
			t.Fatalf("added %+v, %v, %v", src, added, err)
		}
		for name, err := range map[string]error{
			"pause":  s.Sources.SetPaused(t.Context(), src.ID, true, 0),
			"resume": s.Sources.SetPaused(t.Context(), src.ID, false, 0),
			"poll":   s.Sources.PollSource(t.Context(), src.ID, 0),
		} {
			if !errors.Is(err, feed.ErrConflict) {
				t.Errorf("%s gave %v", name, err)
			}
		}
		if _, err := s.Sources.ClaimSource(t.Context(), src.ID, time.Minute); !errors.Is(err, feed.ErrConflict) {
			t.Errorf("a claim gave %v", err)
		}
		if n, err := s.Sources.PollSources(t.Context()); n != 0 || err != nil {
			t.Errorf("polling all made %d due, %v", n, err)
		}
		if n, err := s.Sources.RepairSchedule(t.Context()); n != 0 || err != nil {
			t.Errorf("repairing planned %d, %v", n, err)
		}
		now.Advance(24 * time.Hour)
		if claims, err := s.Sources.ClaimSources(t.Context(), 10, time.Minute); len(claims) != 0 || err != nil {
			t.Errorf("claimed %+v, %v", claims, err)
		}
	})
}

func TestLocalSourceIsRemovedAndRestored(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, raw *storetest.Redigo) {
		src, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: feed.LocalURL("notes"), About: feed.About{Title: "Notes"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Sources.RemoveSource(t.Context(), src.ID, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sources.Source(t.Context(), src.ID); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("after its removal: %v", err)
		}
		got, err := s.Sources.RestoreSource(t.Context(), src.ID)
		if err != nil || got.About.Title != "Notes" || got.State() != feed.SourceActive {
			t.Errorf("restored %+v, %v", got, err)
		}
		if due := raw.Strings("ZRANGE", "sched:due", 0, -1); len(due) != 0 {
			t.Errorf("due are %v", due)
		}
	})
}

func TestNameOfALocalSourceIsChecked(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *clock, _ *storetest.Redigo) {
		for _, name := range []string{"", "a b", "A", "a/b", "a:meta", "a{b}", "a\nb", "é"} {
			if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: feed.LocalURL(name)}); !errors.Is(err, feed.ErrInvalid) {
				t.Errorf("%q gave %v", name, err)
			}
		}
	})
}
