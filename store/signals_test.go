package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func write(t *testing.T, s *store.Store, now *clock, n int) {
	t.Helper()
	for range n {
		e := entry(fmt.Sprint("g", time.Now().UnixNano()), "T", now.now)
		if err := s.SaveEntry(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAGroupGetsASignalUntilItIsAcknowledged(t *testing.T) {
	engines(t, func(t *testing.T, dial store.DialFunc) {
		now := newClock()
		s := open(t, store.Options{Dial: dial, Now: now.Now})
		next := func(s *store.Store, consumer string, limit int) []feed.Signal {
			t.Helper()
			got, err := s.NextSignals(t.Context(), "desk", consumer, limit, 0)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		write(t, s, now, 3)
		first := next(s, "a", 2)
		if len(first) != 2 || first[0].Post == nil {
			t.Fatalf("got %+v", first)
		}
		other := next(s, "b", 10)
		if len(other) != 1 {
			t.Fatalf("another consumer got %d signals, want the one that is left", len(other))
		}
		if more := next(s, "a", 10); len(more) != 0 {
			t.Errorf("what is being handled came again: %+v", more)
		}
		restarted := open(t, store.Options{Dial: dial, Now: now.Now})
		if again := next(restarted, "a", 10); len(again) != 2 || again[0].ID != first[0].ID {
			t.Errorf("after a restart came %+v", again)
		}
		if err := s.AckSignals(t.Context(), "desk", first[0].ID); err != nil {
			t.Fatal(err)
		}
		impatient := open(t, store.Options{Dial: dial, Now: now.Now, TakeOver: time.Millisecond})
		// Which comes first depends on the milliseconds since each was handed out.
		want := map[string]bool{first[1].ID: true, other[0].ID: true}
		taken := make(map[string]bool)
		for deadline := time.Now().Add(5 * time.Second); len(taken) < len(want) && time.Now().Before(deadline); {
			for _, signal := range next(impatient, "c", 1) {
				taken[signal.ID] = true
			}
		}
		if diff := cmp.Diff(want, taken); diff != "" {
			t.Errorf("not what is unacknowledged was taken over (-want +got):\n%s", diff)
		}
	})
}

func TestTrimKeepsWhatAGroupHasNotHandled(t *testing.T) {
	engines(t, func(t *testing.T, dial store.DialFunc) {
		now := newClock()
		s := open(t, store.Options{Dial: dial, Now: now.Now})
		raw := commands(t, dial)
		if n, err := s.TrimSignals(t.Context(), time.Hour); n != 0 || err != nil {
			t.Errorf("trimming nothing: %d, %v", n, err)
		}
		write(t, s, now, 4)
		got, err := s.NextSignals(t.Context(), "desk", "a", 2, 0)
		if err != nil || len(got) != 2 {
			t.Fatalf("%d signals, %v", len(got), err)
		}
		if err := s.AckSignals(t.Context(), "desk", got[0].ID); err != nil {
			t.Fatal(err)
		}
		now.now = time.Now().Add(48 * time.Hour) // stream ids follow the server's clock
		if n, err := s.TrimSignals(t.Context(), time.Hour); n != 1 || err != nil {
			t.Errorf("trimmed %d, %v; want the acknowledged one", n, err)
		}
		if n := raw.Int("XLEN", "signals"); n != 3 {
			t.Errorf("%d signals are left", n)
		}
		if last, err := s.LastSignal(t.Context()); err != nil || last == "0-0" {
			t.Errorf("last signal is %s, %v", last, err)
		}
	})
}

func TestSignalsWaitForTheFirst(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		done := make(chan []feed.Signal)
		go func() {
			got, err := s.Signals(t.Context(), "0-0", 10, 5*time.Second)
			if err != nil {
				t.Error(err)
			}
			done <- got
		}()
		write(t, s, now, 1)
		if got := <-done; len(got) != 1 {
			t.Errorf("waited for %d signals", len(got))
		}
	})
}
