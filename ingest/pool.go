package ingest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

// A task that takes longer than slowAfter moves to the slow pool and frees its worker, so that a slow server does not delay
// other sources. If the slow pool is full, the task that has waited longest for its server is cancelled as a timeout. A slow
// server therefore occupies a worker for slowAfter at most, and has at least about five times that to answer: the time in
// which the workers fill the slow pool.
const (
	slowAfter     = 2 * time.Second
	slowPerWorker = 4 // slots of the slow pool for each worker
)

// errEvicted ends the request of a task whose slot another task needs.
var errEvicted = feed.Failf(feed.FailureTimeout, "the server took too long while too many other servers were slow too")

// pool runs tasks on a fixed number of workers.
type pool struct {
	idle  chan struct{} // a token for each idle worker
	tasks sync.WaitGroup

	mu   sync.Mutex // guards slow and the fields of slots
	slow []*slot    // in the slow pool, longest first
}

// slot is the place of one task: first a worker, then perhaps the slow pool.
type slot struct {
	pool     *pool
	timer    *time.Timer
	moved    bool
	released bool
	cancel   context.CancelCauseFunc // of the current request; nil: none
}

func newPool(workers int) *pool {
	p := &pool{idle: make(chan struct{}, workers)}
	p.release(workers)
	return p
}

// acquire waits for an idle worker and reserves all idle ones. It returns 0 if a pulse or the end of ctx comes first.
func (p *pool) acquire(ctx context.Context, pulse <-chan time.Time) int {
	select {
	case <-p.idle:
	case <-pulse:
		return 0
	case <-ctx.Done():
		return 0
	}
	for n := 1; ; n++ {
		select {
		case <-p.idle:
		default:
			return n
		}
	}
}

// release returns n reserved workers.
func (p *pool) release(n int) {
	for range n {
		p.idle <- struct{}{}
	}
}

type slotKey struct{}

// run runs a task on a reserved worker. The context of the task contains its slot.
func (p *pool) run(ctx context.Context, task func(context.Context)) {
	s := &slot{pool: p}
	p.mu.Lock() // move must wait until timer is set
	defer p.mu.Unlock()
	s.timer = time.AfterFunc(slowAfter, s.move)
	p.tasks.Go(func() {
		defer s.release()
		task(context.WithValue(ctx, slotKey{}, s))
	})
}

// move moves the task to the slow pool. If no task there waits for a server, move tries again later: the workers should
// also wait for the store then.
func (s *slot) move() {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.released {
		return
	}
	if len(p.slow) >= slowPerWorker*cap(p.idle) {
		i := slices.IndexFunc(p.slow, func(other *slot) bool { return other.cancel != nil })
		if i < 0 {
			s.timer.Reset(slowAfter)
			return
		}
		p.slow[i].cancel(errEvicted)
		p.slow = slices.Delete(p.slow, i, i+1)
	}
	p.slow = append(p.slow, s)
	s.moved = true
	p.release(1)
}

// release frees the slot.
func (s *slot) release() {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	s.released = true
	s.timer.Stop()
	if !s.moved {
		p.release(1)
		return
	}
	if i := slices.Index(p.slow, s); i >= 0 { // it was not evicted
		p.slow = slices.Delete(p.slow, i, i+1)
	}
}

// fetchInSlot requests a document for a task that may be evicted from its slot.
func (in *Ingester) fetchInSlot(ctx context.Context, source *feed.Source, r fetch.Request) (fetch.Response, error) {
	s, _ := ctx.Value(slotKey{}).(*slot)
	if s == nil {
		return in.client.Get(ctx, source, r)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.setCancel(cancel)
	defer s.setCancel(nil)
	got, err := in.client.Get(ctx, source, r)
	if err != nil && errors.Is(context.Cause(ctx), errEvicted) {
		err = errEvicted
	}
	return got, err
}

func (s *slot) setCancel(cancel context.CancelCauseFunc) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.cancel = cancel
}
