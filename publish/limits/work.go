package limits

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	workWait      = 5 * time.Second
	maxQueue      = 16 // tasks that wait
	maxQueueOfOne = 4  // tasks of one client that wait or run
)

// Work runs tasks that need a processor for long, such as hashing a password or parsing a long list, on at most half of the
// processors. The others serve requests meanwhile.
type Work struct {
	slots   chan struct{}
	refused prometheus.Counter

	mu      sync.Mutex
	waiting int
	clients map[string]int
}

// NewWork returns a Work. A nil Registerer disables metrics.
func NewWork(reg prometheus.Registerer) *Work {
	return &Work{
		slots: make(chan struct{}, max(runtime.GOMAXPROCS(0)/2, 1)), clients: make(map[string]int),
		refused: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "feedwire_work_refused_total", Help: "Tasks such as sign-ins and imports that found no processor.",
		}),
	}
}

// Begin waits for a processor. The caller must call done. client limits how many tasks may wait; empty: only their sum is limited.
// feed.ErrUnavailable: too many are waiting.
func (w *Work) Begin(ctx context.Context, client string) (done func(), err error) {
	if !w.enter(client) {
		w.refused.Inc()
		return nil, fmt.Errorf("too many tasks are waiting: %w", feed.ErrUnavailable)
	}
	timer := time.NewTimer(workWait)
	defer timer.Stop()
	select {
	case w.slots <- struct{}{}:
		w.mu.Lock()
		w.waiting--
		w.mu.Unlock()
		return func() {
			<-w.slots
			w.leave(client)
		}, nil
	case <-timer.C:
		w.refused.Inc()
		err = fmt.Errorf("other tasks take too long: %w", feed.ErrUnavailable)
	case <-ctx.Done():
		err = ctx.Err()
	}
	w.mu.Lock()
	w.waiting--
	w.mu.Unlock()
	w.leave(client)
	return nil, err
}

// enter adds a task to those that wait, unless there are too many.
func (w *Work) enter(client string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting >= maxQueue || client != "" && w.clients[client] >= maxQueueOfOne {
		return false
	}
	w.waiting++
	w.clients[client]++
	return true
}

func (w *Work) leave(client string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clients[client]--; w.clients[client] == 0 {
		delete(w.clients, client)
	}
}
