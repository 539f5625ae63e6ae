package ingest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

// A poll needs a worker, except while it waits for a slow server: then it is in the slow pool, where it costs a connection and the
// bytes that have arrived. If the slow pool is full, the poll that has been there longest is cancelled as a timeout.
//
// Ten thousand servers that never answer would keep the workers busy for many minutes. So servers get less time while sources
// are late, and strangers, which did not answer the last time or were never polled, get less than known servers.
const (
	lateAfter     = 4 * time.Second // a source that waits for a worker longer than this is late
	slowPerWorker = 32              // polls in the slow pool for each worker
	slowMost      = 512             // polls in the slow pool, unless there are more workers
	slowDocuments = 8               // documents of the largest size that the polls in the slow pool may hold together
	retryMove     = 50 * time.Millisecond
)

// patience is how long a server may take before its poll moves to the slow pool, and before it may be cancelled there.
type patience struct{ worker, slow time.Duration }

// relaxed is the patience while no source is late.
var relaxed = patience{worker: 2 * time.Second, slow: 10 * time.Second}

// patienceFor returns the patience with the server of a source.
func patienceFor(source *feed.Source, late bool) patience {
	switch {
	case !late:
		return relaxed
	case source.Poll.Errors > 0 || source.Poll.LastOK.IsZero():
		return patience{worker: 0, slow: 250 * time.Millisecond}
	}
	return patience{worker: 50 * time.Millisecond, slow: 2 * time.Second}
}

// errEvicted ends the request of a poll whose place another poll needs.
var errEvicted = feed.Failf(feed.FailureTimeout, "the server took too long while too many other servers were slow too")

// pool runs polls on a fixed number of workers.
type pool struct {
	idle     chan struct{} // a token for each idle worker
	maxBytes func() int64  // of one document
	polls    sync.WaitGroup

	mu    sync.Mutex // guards slow, bytes and the fields of slots
	slow  []*slot    // the slow pool, longest first
	bytes int64      // that arrived for them
}

// slot is the place of one poll while it waits for its server.
type slot struct {
	pool     *pool
	patience patience
	cancel   context.CancelCauseFunc
	begun    time.Time
	timer    *time.Timer
	bytes    int64 // that have arrived
	slow     bool  // in the slow pool
	left     bool  // the worker
	ended    bool
}

func newPool(workers int, maxBytes func() int64) *pool {
	p := &pool{idle: make(chan struct{}, workers), maxBytes: maxBytes}
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

// run runs a poll on a reserved worker. The context of the poll contains its slot.
func (p *pool) run(ctx context.Context, allowed patience, poll func(context.Context)) {
	p.polls.Go(func() {
		defer p.release(1)
		growStack()
		poll(context.WithValue(ctx, slotKey{}, &slot{pool: p, patience: allowed}))
	})
}

// growStack lets the stack of a new goroutine grow once. A poll would let it grow four times, copying deeper frames each time,
// which is 5 % of the processor time of a poll without news.
//
//go:noinline
func growStack() {
	var room [12 << 10]byte
	runtime.KeepAlive(&room)
}

// awaitServer sends the request of a poll that may wait in the slow pool and be evicted from there.
func awaitServer(
	ctx context.Context, send func(ctx context.Context, received func(bytes int)) (fetch.Response, error),
) (fetch.Response, error) {
	s, _ := ctx.Value(slotKey{}).(*slot)
	if s == nil {
		return send(ctx, nil)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.begin(cancel)
	defer s.end()
	got, err := send(ctx, s.receive)
	if err != nil && errors.Is(context.Cause(ctx), errEvicted) {
		got.Body, err = nil, errEvicted
	}
	return got, err
}

// begin starts the time that the server has.
func (s *slot) begin(cancel context.CancelCauseFunc) {
	s.pool.mu.Lock() // move must wait until timer is set
	defer s.pool.mu.Unlock()
	s.cancel, s.begun = cancel, time.Now()
	s.timer = time.AfterFunc(s.patience.worker, s.move)
}

// move moves the poll to the slow pool. If that is full of polls that still have time, move tries again later.
func (s *slot) move() {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.ended {
		return
	}
	if len(p.slow) >= max(min(slowPerWorker*cap(p.idle), slowMost), cap(p.idle)) {
		i := slices.IndexFunc(p.slow, func(other *slot) bool { return time.Since(other.begun) >= other.patience.slow })
		if i < 0 {
			s.timer.Reset(retryMove)
			return
		}
		p.evict(i)
	}
	p.slow, p.bytes, s.slow, s.left = append(p.slow, s), p.bytes+s.bytes, true, true
	p.trim()
	p.release(1)
}

// receive counts bytes of the document.
func (s *slot) receive(n int) {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	s.bytes += int64(n)
	if s.slow {
		p.bytes += int64(n)
		p.trim()
	}
}

// trim evicts polls until the others hold no more bytes than they may. The caller holds p.mu.
func (p *pool) trim() {
	for p.bytes > slowDocuments*p.maxBytes() {
		p.evict(slices.IndexFunc(p.slow, func(s *slot) bool { return s.bytes > 0 }))
	}
}

// evict cancels a poll in the slow pool. The caller holds p.mu.
func (p *pool) evict(i int) {
	p.slow[i].cancel(errEvicted)
	p.remove(i)
}

// remove takes a poll out of the slow pool. The caller holds p.mu.
func (p *pool) remove(i int) {
	p.bytes -= p.slow[i].bytes
	p.slow[i].slow = false
	p.slow = slices.Delete(p.slow, i, i+1)
}

// end ends the time of the server and waits for a worker if the poll has none.
func (s *slot) end() {
	p := s.pool
	p.mu.Lock()
	s.ended = true
	s.timer.Stop()
	if s.slow {
		p.remove(slices.Index(p.slow, s))
	}
	p.mu.Unlock()
	if s.left {
		<-p.idle
	}
}
