package signal_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestUnacknowledgedSignalsAreNotTrimmed(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, dial core.DialFunc) {
		now := storetest.NewClock()
		s := open(t, store.Options{Dial: dial, Now: now.Now})
		if n, err := s.TrimSignals(t.Context(), time.Hour); n != 0 || err != nil {
			t.Errorf("trimming nothing: %d, %v", n, err)
		}
		save(t, s, now, 4)
		got, err := s.Signals.NextSignals(t.Context(), "desk", "a", 2, 0)
		if err != nil || len(got) != 2 {
			t.Fatalf("%d signals, %v", len(got), err)
		}
		if err := s.Signals.AckSignals(t.Context(), "desk", got[0].ID); err != nil {
			t.Fatal(err)
		}
		now.Time = time.Now().Add(48 * time.Hour) // stream ids follow the server's clock
		if n, err := s.TrimSignals(t.Context(), time.Hour); n != 1 || err != nil {
			t.Errorf("trimmed %d, %v; want the acknowledged one", n, err)
		}
		if left, err := s.Signals.Signals(t.Context(), "", 10, 0); err != nil || len(left) != 3 {
			t.Errorf("%d signals are left, %v", len(left), err)
		}
		if last, err := s.Signals.LastSignal(t.Context()); err != nil || last == "0-0" {
			t.Errorf("last signal is %s, %v", last, err)
		}
	})
}

func TestUndistributedSignalsAreNotTrimmed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *storetest.Clock, _ *storetest.Redigo) {
		if _, err := s.Entries.SaveEntries(t.Context(), claim(t, s), storetest.Document(harbour, 3)); err != nil {
			t.Fatal(err)
		}
		all, err := s.Signals.Signals(t.Context(), "", 10, 0)
		if err != nil || len(all) < 3 {
			t.Fatalf("%d signals, %v", len(all), err)
		}
		if err := s.Hub.Distribute(t.Context(), feed.HubStep{To: all[1].ID}, nil); err != nil {
			t.Fatal(err)
		}
		now.Advance(10 * 365 * 24 * time.Hour)
		if _, err := s.TrimSignals(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		left, err := s.Signals.Signals(t.Context(), all[1].ID, 10, 0)
		if err != nil || len(left) != len(all)-2 {
			t.Errorf("%d signals are left, want %d, %v", len(left), len(all)-2, err)
		}
	})
}
