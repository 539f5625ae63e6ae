package signal_test

import (
	"encoding/binary"
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
		if len(first) != 2 || first[0].Entry == "" {
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

// Redis counts no idle time of signals that were read in the future.
func TestSignalIsTakenOverAfterTheClockOfRedisWasSetBack(t *testing.T) {
	now, dial := storetest.NewClock(), storetest.Redis(t)
	options := store.Options{Dial: dial, Now: now.Now, TakeOver: 100 * time.Millisecond}
	next := func(s *store.Store, consumer string) int {
		t.Helper()
		got, err := s.Signals.NextSignals(t.Context(), "desk", consumer, 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		return len(got)
	}
	s := open(t, options)
	save(t, s, now, 1)
	begun := time.Now()
	if n := next(s, "a"); n != 1 {
		t.Fatalf("got %d signals", n)
	}
	content := storetest.Commands(t, dial).Snapshot()
	postpone(content, begun, time.Now())
	options.Dial = storetest.RedisOf(t, content)
	later := open(t, options)
	storetest.Await(t, 30*time.Second, "taken over", func() bool { return next(later, "b") == 1 })
}

// postpone adds a day to the times between two in a snapshot of Redis.
func postpone(snapshot []byte, from, to time.Time) {
	for i := range len(snapshot) - 16 {
		field := snapshot[i : i+8]
		if at := time.UnixMilli(int64(binary.LittleEndian.Uint64(field))); !at.Before(from.Truncate(time.Millisecond)) && !at.After(to) {
			binary.LittleEndian.PutUint64(field, uint64(at.AddDate(0, 0, 1).UnixMilli()))
		}
	}
	clear(snapshot[len(snapshot)-8:]) // no checksum
}
