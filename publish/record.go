package publish

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/feedwire/feedwire/store/feed"
)

// fetch is one response to the consumer. Its id makes recording it twice harmless, so it is kept through all tries: a
// write whose answer was lost may have been done.
type fetch struct {
	id    string
	shown []feed.Impression
}

// unproved is where and when the response to a fetch was written.
type unproved struct {
	conn    *receiptConn // nil: it is being written, or its connection tells nothing
	written time.Time
}

const (
	patience   = 50 * time.Millisecond // how long a request waits for the receipt of a response just written
	waitLimit  = time.Second           // how long a request waits for the impressions of earlier ones
	drainLimit = 5 * time.Second       // how long Run goes on after its context ended
	retryFirst = 100 * time.Millisecond
	retryMost  = 2 * time.Second
)

// recorder brings the impressions of one feed to the store, one fetch after the other, off the path of responses.
type recorder struct {
	store   Store
	feed    feed.Outgoing
	opts    Options
	metrics *feedMetrics
	wake    chan struct{} // of run: there is something to do, or less to wait for

	mu       sync.Mutex
	reserved int                 // fetches between reserve and release
	unproved map[*fetch]unproved // responses from begin on whose arrival is not known yet
	queue    []*fetch            // proved, oldest first; the first one is being recorded
	queued   uint64              // fetches ever queued
	recorded uint64              // and taken from the queue
	progress chan struct{}       // closed when recorded grows or the store is found down; nil: nobody waits
	running  bool
	down     bool // the last try failed
}

func newRecorder(store Store, f feed.Outgoing, opts Options, m *feedMetrics) *recorder {
	return &recorder{
		store: store, feed: f, opts: opts, metrics: m,
		wake: make(chan struct{}, 1), unproved: make(map[*fetch]unproved),
	}
}

// reserve takes a place for a fetch; false: too many wait already.
func (r *recorder) reserve() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reserved >= r.opts.Queue {
		return false
	}
	r.reserved++
	return true
}

// release gives the place back.
func (r *recorder) release() {
	r.mu.Lock()
	r.reserved--
	r.mu.Unlock()
	r.signal()
}

// begin makes the fetch for a response that is about to be written.
func (r *recorder) begin(shown []feed.Impression) *fetch {
	f := &fetch{id: rand.Text(), shown: shown}
	r.mu.Lock()
	r.unproved[f] = unproved{written: time.Now()}
	r.mu.Unlock()
	return f
}

// expect settles f once c, to which its response was written, knows whether that arrived.
func (r *recorder) expect(c *receiptConn, f *fetch) {
	r.mu.Lock()
	r.unproved[f] = unproved{c, time.Now()}
	r.mu.Unlock()
	c.await(func(delivered bool) { r.settled(f, delivered) })
}

// settled queues a fetch that was delivered, and forgets one that was not.
func (r *recorder) settled(f *fetch, delivered bool) {
	r.mu.Lock()
	delete(r.unproved, f)
	if delivered && len(f.shown) > 0 {
		r.queue = append(r.queue, f)
		r.queued++
	} else {
		r.reserved--
	}
	r.mu.Unlock()
	r.signal()
}

func (r *recorder) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// settle has all connections with open receipts say what they know. It waits a moment for responses that have only just
// been written: a consumer that fetches one time after another, each on a new connection, may ask again before its
// system has told ours that the last one was closed.
func (r *recorder) settle() {
	for start := time.Now(); r.look(start); {
		time.Sleep(time.Millisecond) // at most until patience is over
	}
}

// look settles what can be settled by now, and tells whether a response from before start is still worth waiting for.
func (r *recorder) look(start time.Time) bool {
	r.mu.Lock()
	if len(r.unproved) == 0 {
		r.mu.Unlock()
		return false
	}
	open := slices.Collect(maps.Values(r.unproved))
	r.mu.Unlock()
	for _, u := range open {
		if u.conn != nil {
			u.conn.look(false)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range r.unproved {
		if u.written.Before(start) && time.Since(u.written) < patience {
			return true
		}
	}
	return false
}

// wait returns when all that is queued now has been recorded, at once while the store is down, and after a second anyway.
func (r *recorder) wait(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) == 0 {
		return // as for nearly all requests; the rest is not free
	}
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	for target := r.queued; r.recorded < target && r.running && !r.down && ctx.Err() == nil; {
		if r.progress == nil {
			r.progress = make(chan struct{})
		}
		progress := r.progress
		r.mu.Unlock()
		select {
		case <-progress:
		case <-ctx.Done():
		}
		r.mu.Lock()
	}
}

// run records until ctx has ended and nothing is left, or drainLimit has passed since.
func (r *recorder) run(ctx context.Context) {
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(drainLimit, cancel) })()
	r.change(func() { r.running = true })
	defer r.change(func() { r.running = false })
	stopping := ctx.Done()
	for hard.Err() == nil {
		f, expected := r.first()
		switch {
		case f != nil:
			r.record(hard, f)
		case ctx.Err() != nil && expected == 0:
			return
		default:
			select {
			case <-r.wake:
			case <-stopping:
				stopping = nil
			case <-hard.Done():
			}
		}
	}
	_, lost := r.first()
	r.opts.Logger.Error("stopped before all impressions were recorded", "feed", r.feed.Type, "fetches", lost)
}

// first is the fetch to record next, nil where there is none, and how many fetches are on their way altogether.
func (r *recorder) first() (next *fetch, expected int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) > 0 {
		next = r.queue[0]
	}
	return next, r.reserved
}

// change updates the state that wait looks at.
func (r *recorder) change(update func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	update()
	if r.progress != nil {
		close(r.progress)
		r.progress = nil
	}
}

// record brings one fetch to the store, trying again while the store is unavailable, until it is there or ctx ends. A
// fetch that fails in any other way, as on a damaged key, is dropped: it would fail again and hold up all others.
func (r *recorder) record(ctx context.Context, f *fetch) {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = retryFirst, retryMost
	for failed := false; ; failed = true {
		result, err := r.try(ctx, f)
		switch {
		case err == nil:
			r.report(f, result)
			r.done()
			return
		case !errors.Is(err, feed.ErrUnavailable):
			r.opts.Logger.Error("impressions dropped", "feed", r.feed.Type, "err", err)
			r.done()
			return
		case !failed:
			r.opts.Logger.Warn("impressions wait for the store", "feed", r.feed.Type, "err", err)
			r.change(func() { r.down = true })
		}
		select {
		case <-time.After(pause.NextBackOff()):
		case <-ctx.Done():
			return
		}
	}
}

// try asks the store once. Once ctx or the time for the call has ended, an error says nothing about the fetch: it is
// feed.ErrUnavailable then, whatever the store made of it.
func (r *recorder) try(ctx context.Context, f *fetch) (feed.ImpressionResult, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	result, err := r.store.RecordImpressions(ctx, r.feed.Type, f.id, f.shown, r.feed.RetireAfter)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", feed.ErrUnavailable, err)
	}
	return result, err
}

// report tells what recording did. The answer of a repeat is the first one again, which was lost: it is news.
func (r *recorder) report(f *fetch, result feed.ImpressionResult) {
	r.metrics.counted.Add(float64(result.Counted))
	r.metrics.ignored.Add(float64(result.Ignored))
	if result.Duplicate {
		r.metrics.duplicate.Add(float64(len(f.shown)))
	}
	for _, uuid := range result.Promoted {
		r.opts.Logger.Info("article promoted", "article", uuid, "feed", r.feed.Type)
	}
	if len(result.Promoted) > 0 && r.opts.OnPromoted != nil {
		r.opts.OnPromoted(r.feed.Type, result.Promoted)
	}
}

// done takes the first fetch from the queue.
func (r *recorder) done() {
	r.change(func() {
		r.queue[0] = nil
		r.queue = r.queue[1:]
		r.recorded++
		r.reserved--
		r.down = false
	})
}
