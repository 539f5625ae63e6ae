package signal_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestGroupGetsSignalUntilItIsAcknowledged(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, dial core.DialFunc) {
		now := storetest.NewClock()
		s := open(t, store.Options{Dial: dial, Now: now.Now})
		next := func(s *store.Store, consumer string, limit int) []feed.Signal {
			t.Helper()
			got, err := s.Signals.NextSignals(t.Context(), "desk", consumer, limit, 0)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		save(t, s, now, 3)
		first := next(s, "a", 2)
		if len(first) != 2 || first[0].Post == nil {
			t.Fatalf("got %+v", first)
		}
		other := next(s, "b", 10)
		if len(other) != 1 {
			t.Fatalf("another consumer got %d signals, want the remaining one", len(other))
		}
		if more := next(s, "a", 10); len(more) != 0 {
			t.Errorf("unacknowledged signals came again: %+v", more)
		}
		restarted := open(t, store.Options{Dial: dial, Now: now.Now})
		if again := next(restarted, "a", 10); len(again) != 2 || again[0].ID != first[0].ID {
			t.Errorf("after a restart: %+v", again)
		}
		if err := s.Signals.AckSignals(t.Context(), "desk", first[0].ID); err != nil {
			t.Fatal(err)
		}
		impatient := open(t, store.Options{Dial: dial, Now: now.Now, TakeOver: time.Millisecond})
		// Their order depends on the milliseconds since each was read.
		want := map[string]bool{first[1].ID: true, other[0].ID: true}
		taken := make(map[string]bool)
		for deadline := time.Now().Add(5 * time.Second); len(taken) < len(want) && time.Now().Before(deadline); {
			for _, signal := range next(impatient, "c", 1) {
				taken[signal.ID] = true
			}
		}
		if diff := cmp.Diff(want, taken); diff != "" {
			t.Errorf("signals taken over (-want +got):\n%s", diff)
		}
	})
}
