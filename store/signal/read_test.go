package signal_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestReadWaitsForTheFirstSignal(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, now *storetest.Clock, _ *storetest.Redigo) {
		done := make(chan []feed.Signal)
		go func() {
			got, err := s.Signals.Signals(t.Context(), "0-0", 10, 5*time.Second)
			if err != nil {
				t.Error(err)
			}
			done <- got
		}()
		save(t, s, now, 1)
		if got := <-done; len(got) != 1 {
			t.Errorf("waited for %d signals", len(got))
		}
	})
}
