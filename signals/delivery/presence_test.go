package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// A killed engine has claimed deliveries. Their claims last for three minutes, but the same daemon after a restart, or another one,
// delivers much earlier.
func TestDeliveriesOfAKilledDaemonAreResumed(t *testing.T) {
	for name, heir := range map[string]string{"by itself after a restart": "killed", "by another daemon": "other"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t, storetest.RedisAOF(t).Dial)
			var mu sync.Mutex
			got := make(map[string]int)
			reader := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				mu.Lock()
				got[r.URL.Path]++
				mu.Unlock()
			}))
			t.Cleanup(reader.Close)
			for n := range 50 {
				d.subscribe(fmt.Sprintf("%s/%d", reader.URL, n), "")
			}
			killed := newCrashing(d.Store, "before POST", 1)
			end := d.runCrashingWith(killed, nil, delivery.Options{Daemon: "killed", Timeout: time.Minute})
			d.news("news", true)
			<-killed.died
			start := time.Now()
			_, stop := d.run(delivery.Options{Daemon: heir, Timeout: time.Minute})
			storetest.Await(t, 90*time.Second, "every subscriber has got the news", func() bool {
				mu.Lock()
				defer mu.Unlock()
				return len(got) == 50
			})
			t.Logf("resumed within %v", time.Since(start).Round(time.Millisecond))
			stop()
			end()
			for path, n := range got {
				if n != 1 {
					t.Errorf("%s got the news %d times", path, n)
				}
			}
		})
	}
}

// mutedStore stores no announcements while it is muted.
type mutedStore struct {
	engineStore
	muted   atomic.Bool
	claimed atomic.Int32
}

func (s *mutedStore) AnnounceDaemon(ctx context.Context, daemon string, silence time.Duration) ([]string, error) {
	if s.muted.Load() {
		return nil, feed.ErrUnavailable
	}
	return s.engineStore.AnnounceDaemon(ctx, daemon, silence)
}

func (s *mutedStore) ClaimDeliveries(ctx context.Context, c feed.DeliveryClaim) ([]feed.Delivery, string, time.Time, error) {
	all, after, next, err := s.engineStore.ClaimDeliveries(ctx, c)
	s.claimed.Add(int32(len(all)))
	return all, after, next, err
}

// An engine that cannot announce itself delivers nothing: another one may have taken its deliveries over.
func TestSilentEngineDeliversNothing(t *testing.T) {
	d := newHarness(t, storetest.Redis(t))
	r := newReader(t, nil)
	d.subscribe(r.callback("/cb"), "secret/cb")
	s := &mutedStore{engineStore: d.Nouns()}
	s.muted.Store(true)
	d.runOn(s, nil, delivery.Options{})
	d.news("news", true)
	storetest.Await(t, time.Minute, "the delivery is claimed", func() bool { return s.claimed.Load() > 0 })
	if n := len(r.got()); n != 0 {
		t.Errorf("%d deliveries of a silent engine", n)
	}
	s.muted.Store(false)
	storetest.Await(t, time.Minute, "the delivery", func() bool { return len(r.got()) == 1 })
}
