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

// stalledHosts are those of which some stall.
func stalledHosts() (hosts []string) {
	for n := range 24 {
		hosts = append(hosts, fmt.Sprintf("host%d.example", n))
	}
	return hosts
}

// deliverStalled returns how long after its distribution each callback got each of two versions. Some hosts stall before the
// first, and others between them.
func deliverStalled(t *testing.T, before, between []string, apart time.Duration) (all []map[string]time.Duration) {
	t.Helper()
	const subscribers = 50 // of each host: more than are claimed at a time
	synctest.Test(t, func(t *testing.T) {
		v := &network{stalled: make(map[string]bool), came: make(map[string]time.Time)}
		d := bubbleHarness(t)
		for _, host := range stalledHosts() {
			for n := range subscribers {
				d.subscribe(fmt.Sprintf("http://%s/%d", host, n), "secret")
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		e := delivery.NewEngine(d.Nouns(), nil, v, delivery.Options{})
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

// checkDelay fails the test if hosts that stall delayed others by more than 200 ms.
func checkDelay(t *testing.T, stalled []string, with, without []map[string]time.Duration) {
	t.Helper()
	for version := range with {
		var worst time.Duration
		for url, took := range without[version] {
			if slices.Contains(stalled, strings.Split(url, "/")[2]) {
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
}

// Hosts that stall all of a sudden delay others by at most 200 ms.
func TestHostsThatStallSuddenlyDelayNoOthers(t *testing.T) {
	t.Parallel()
	stalled := stalledHosts()[:6]
	checkDelay(t, stalled, deliverStalled(t, nil, stalled, time.Second), deliverStalled(t, nil, nil, time.Second))
}
