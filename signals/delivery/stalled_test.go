package delivery_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/embedded"
	"github.com/feedwire/feedwire/store/storetest"
)

// network has many hosts. Stalled hosts accept a request and never respond; the others respond after a millisecond.
type network struct {
	mu      sync.Mutex
	stalled map[string]bool
	came    map[string]time.Time // by URL, the last delivery that was answered
}

func (v *network) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return nil, err
	}
	v.mu.Lock()
	stalled := v.stalled[req.URL.Host]
	v.mu.Unlock()
	if stalled {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	time.Sleep(time.Millisecond)
	v.mu.Lock()
	v.came[req.URL.String()] = time.Now()
	v.mu.Unlock()
	return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
}

// stall makes hosts respond to nothing from now on.
func (v *network) stall(hosts []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, host := range hosts {
		v.stalled[host] = true
	}
}

// times returns how long after start each callback got its last delivery.
func (v *network) times(start time.Time) map[string]time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := make(map[string]time.Duration)
	for url, at := range v.came {
		all[url] = at.Sub(start)
	}
	return all
}

// bubbleHarness returns a harness with a store in the bubble of a synctest, whose clock advances only while all goroutines wait.
func bubbleHarness(t *testing.T) *harness {
	t.Helper()
	server := embedded.New(t.TempDir(), embedded.Options{Mode: embedded.ModeMemory})
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return &harness{tb: t, Store: storetest.New(t, store.Options{Dial: server.Dial})}
}

// Hosts that accept deliveries and never respond delay others by at most 200 ms, no matter how many stall and when.
func TestStalledHostsDelayNoOthers(t *testing.T) {
	t.Parallel()
	const subscribers = 50 // of each host: more than are claimed at a time
	var hosts []string
	for n := range 24 {
		hosts = append(hosts, fmt.Sprintf("host%d.example", n))
	}
	// deliver returns how long after its distribution each callback got each of two versions. Some hosts stall between them.
	deliver := func(t *testing.T, before, between []string, apart time.Duration) (all []map[string]time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			v := &network{stalled: make(map[string]bool), came: make(map[string]time.Time)}
			d := bubbleHarness(t)
			for _, host := range hosts {
				for n := range subscribers {
					d.subscribe(fmt.Sprintf("http://%s/%d", host, n), "secret")
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			e := delivery.NewEngine(engineStoreOf(d.Store), nil, v, delivery.Options{})
			ended := make(chan error, 1)
			go func() { ended <- e.Run(ctx) }()
			for _, stalled := range [][]string{before, between} {
				v.stall(stalled)
				start := time.Now()
				d.news(start.String(), false)
				e.Wake()
				time.Sleep(apart)
				all = append(all, v.times(start))
			}
			cancel()
			<-ended
		})
		return all
	}
	undisturbed := make(map[time.Duration]func() []map[string]time.Duration) // by how far versions are apart
	for _, apart := range []time.Duration{time.Second, 12 * time.Second} {
		undisturbed[apart] = sync.OnceValue(func() []map[string]time.Duration { return deliver(t, nil, nil, apart) })
	}
	for _, tc := range []struct {
		name            string
		before, between []string
		apart           time.Duration
	}{
		{"one", hosts[:1], nil, 12 * time.Second},
		{"nearly all", hosts[1:], nil, 12 * time.Second},
		{"some all of a sudden", nil, hosts[:6], time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			with, without := deliver(t, tc.before, tc.between, tc.apart), undisturbed[tc.apart]()
			for version := range with {
				var worst time.Duration
				for url, took := range without[version] {
					host := strings.Split(url, "/")[2]
					if slices.Contains(tc.before, host) || slices.Contains(tc.between, host) {
						continue
					}
					if late, came := with[version][url]; !came || late < 0 {
						t.Errorf("version %d did not arrive at %s", version, url)
					} else {
						worst = max(worst, late-took)
					}
				}
				t.Logf("version %d came at most %v later", version, worst)
				if worst > 200*time.Millisecond {
					t.Errorf("version %d arrived %v later at a callback", version, worst)
				}
			}
		})
	}
}
