//go:build faults

package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

// watch asks a daemon all the time whether it lives and whether it is ready, and keeps the answers.
type watch struct {
	t       *testing.T
	address string
	stop    chan struct{}
	all     sync.WaitGroup

	mu      sync.Mutex
	answers map[string][]glance // by path
}

type glance struct {
	asked, came time.Time
	status      int // 0: none came
}

func newWatch(t *testing.T, address string) *watch {
	w := &watch{t: t, address: address, stop: make(chan struct{}), answers: make(map[string][]glance)}
	for _, path := range []string{"/healthz", "/readyz"} {
		w.all.Go(func() { w.ask(path) })
	}
	return w
}

func (w *watch) ask(path string) {
	client := &http.Client{Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	for {
		a := glance{asked: time.Now()}
		if resp, err := client.Get("http://" + w.address + path); err == nil {
			a.status = resp.StatusCode
			_ = resp.Body.Close()
		}
		a.came = time.Now()
		w.mu.Lock()
		w.answers[path] = append(w.answers[path], a)
		w.mu.Unlock()
		select {
		case <-w.stop:
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// since are the answers to what was asked after a time.
func (w *watch) since(path string, at time.Time) []glance {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.answers[path]
	first := slices.IndexFunc(all, func(a glance) bool { return a.asked.After(at) })
	if first < 0 {
		return nil
	}
	return slices.Clone(all[first:])
}

// until waits for readiness to say something, and tells how long that took since a time.
func (w *watch) until(status int, since time.Time) time.Duration {
	w.t.Helper()
	var came time.Time
	wiretest.Eventually(w.t, fmt.Sprintf("saying %d", status), func() bool {
		for _, a := range w.since("/readyz", since) {
			if a.status == status {
				came = a.came
				return true
			}
		}
		return false
	})
	return came.Sub(since)
}

// others counts the answers since a time that are not OK.
func (w *watch) others(path string, since time.Time) (n int) {
	for _, a := range w.since(path, since) {
		if a.status != http.StatusOK {
			n++
		}
	}
	return n
}

func (w *watch) end() {
	close(w.stop)
	w.all.Wait()
}
