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

// A poll that takes longer than slowAfter moves to the slow pool and frees its worker, so that a slow server does not delay
// other sources. If the pool is full, the poll that has waited longest for its server is cancelled as a timeout. A slow server
// therefore occupies a worker for slowAfter at most, and has at least about five times that to answer: the time in which
// the workers fill the pool.
const (
	slowAfter     = 2 * time.Second
	slowPerWorker = 4 // slots of the slow pool for each worker
)

// errEvicted ends the fetch of a poll whose slot another poll needs.
var errEvicted = feed.Failf(feed.FailureTimeout, "the server took too long while too many other servers were slow too")

// slowPool holds the polls that no longer occupy a worker.
type slowPool struct {
	mu    sync.Mutex // guards slots and their fields
	size  int
	slots []*slot // longest in the pool first
}

// slot is the place of one poll: first at a worker, then perhaps in the slow pool.
type slot struct {
	idle     chan struct{} // tokens of idle workers
	pool     *slowPool
	timer    *time.Timer
	moved    bool
	released bool
	cancel   context.CancelCauseFunc // of the current fetch; nil: none
}

// newSlot returns the slot of a worker whose token was taken from idle.
func newSlot(idle chan struct{}, pool *slowPool) *slot {
	s := &slot{idle: idle, pool: pool}
	pool.mu.Lock() // move must wait until timer is set
	defer pool.mu.Unlock()
	s.timer = time.AfterFunc(slowAfter, s.move)
	return s
}

// move moves the poll to the slow pool. If all polls there already have their documents and wait for the store, it tries
// again later: then the workers should wait too.
func (s *slot) move() {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.released {
		return
	}
	if len(p.slots) >= p.size {
		i := slices.IndexFunc(p.slots, func(other *slot) bool { return other.cancel != nil })
		if i < 0 {
			s.timer.Reset(slowAfter)
			return
		}
		p.slots[i].cancel(errEvicted)
		p.slots = slices.Delete(p.slots, i, i+1)
	}
	p.slots = append(p.slots, s)
	s.moved = true
	s.idle <- struct{}{}
}

// release frees the slot.
func (s *slot) release() {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.released = true
	s.timer.Stop()
	if !s.moved {
		s.idle <- struct{}{}
		return
	}
	if i := slices.Index(s.pool.slots, s); i >= 0 { // it was not evicted
		s.pool.slots = slices.Delete(s.pool.slots, i, i+1)
	}
}

type slotKey struct{}

// context returns a context for the poll in the slot.
func (s *slot) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, slotKey{}, s)
}

// fetchInSlot is fetch for a poll that may be evicted from its slot.
func (in *Ingester) fetchInSlot(ctx context.Context, source *feed.Source, what fetch.Request) (fetch.Response, error) {
	s, _ := ctx.Value(slotKey{}).(*slot)
	if s == nil {
		return in.client.Get(ctx, source, what)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.setCancel(cancel)
	defer s.setCancel(nil)
	got, err := in.client.Get(ctx, source, what)
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
