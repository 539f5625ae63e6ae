package publish

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/feedwire/feedwire/publish/arrival"
	"github.com/feedwire/feedwire/publish/journal"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// fetch is a response to the consumer whose arrival is not known yet.
type fetch struct {
	shown   []feed.Impression
	conn    *arrival.Conn // nil: the response is being written, or its connection cannot be watched
	written time.Time
	settled chan struct{} // closed when the arrival is known
}

// batch is completed fetches of one document. Its id makes recording it twice harmless, so it keeps the id through all
// retries: a write whose reply was lost may have been applied.
type batch struct {
	feed.Fetch
	shown  []feed.Impression
	sealed bool // it was tried, so nothing can be added
}

const (
	settleGrace = 50 * time.Millisecond   // how long a request waits for the end of a connection to which a response was just written
	waitLimit   = 1500 * time.Millisecond // how long a request waits for the impressions of earlier fetches; longer than responses settle
)

// recorder records the impressions of one feed in the store, one batch at a time, without delaying responses. While the
// store is away it writes them to the journal.
type recorder struct {
	store       Store
	typ         string       // of the feed
	retireAfter atomic.Int64 // Outgoing.RetireAfter
	opts        Options
	metrics     *metrics
	promoted    func()           // called after articles have left the feed
	journal     *journal.Journal // nil: none; only run uses it
	wake        chan struct{}    // to run: something to do, or less to wait for
	retryNow    chan struct{}    // to run: the store seems to be back

	mu       sync.Mutex
	reserved int                 // fetches between reserve and release
	pending  map[*fetch]struct{} // responses from begin on
	queue    []*batch            // completed fetches, oldest first; the first batch is being recorded
	queued   uint64              // fetches ever queued
	recorded uint64              // fetches ever removed from the queue
	progress chan struct{}       // closed when recorded grows or the state below changes; nil: no one waits
	running  bool
	down     bool // the last try failed
	behind   bool // the journal has fetches
}

func newRecorder(store Store, typ string, opts Options, m *metrics, promoted func()) *recorder {
	r := &recorder{
		store: store, typ: typ, opts: opts, metrics: m, promoted: promoted,
		wake: make(chan struct{}, 1), retryNow: make(chan struct{}, 1), pending: make(map[*fetch]struct{}),
	}
	if opts.Dir != "" {
		r.journal = journal.New(filepath.Join(opts.Dir, "impressions", typ+".journal"), journal.Options{
			Bytes: opts.JournalBytes, Logger: opts.Logger.With("feed", typ), Resize: func(bytes int64, unrecorded int) {
				m.journalBytes.Set(float64(bytes))
				m.journalFetches.Set(float64(unrecorded))
			},
		})
	}
	return r
}

// reserve takes a place in the queue. It returns false if the queue is full.
func (r *recorder) reserve() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reserved >= r.opts.Queue {
		return false
	}
	r.reserved++
	return true
}

func (r *recorder) release() {
	r.mu.Lock()
	r.reserved--
	r.mu.Unlock()
	retry.Wake(r.wake)
}

// begin registers a response that is about to be written, in a reserved place.
func (r *recorder) begin(shown []feed.Impression) *fetch {
	f := &fetch{shown: shown, settled: make(chan struct{})}
	r.mu.Lock()
	r.pending[f] = struct{}{}
	r.mu.Unlock()
	return f
}

// await settles f when c, to which its response was written, knows whether the response arrived.
func (r *recorder) await(c *arrival.Conn, f *fetch) {
	r.mu.Lock()
	f.conn, f.written = c, time.Now()
	r.mu.Unlock()
	c.Await(func(delivered bool) { r.settle(f, delivered) })
}

// settle queues a delivered fetch and drops any other.
func (r *recorder) settle(f *fetch, delivered bool) {
	r.mu.Lock()
	delete(r.pending, f)
	if delivered && len(f.shown) > 0 {
		r.enqueue(f.shown)
	} else {
		r.reserved--
	}
	r.mu.Unlock()
	close(f.settled)
	retry.Wake(r.wake)
}

// enqueue adds a fetch to the last batch if it is of the same document, otherwise to a new one. r.mu is held.
func (r *recorder) enqueue(shown []feed.Impression) {
	r.queued++
	if n := len(r.queue); n > 0 {
		if last := r.queue[n-1]; !last.sealed && journal.SameList(last.shown, shown) {
			last.Times++
			return
		}
	}
	r.queue = append(r.queue, &batch{Fetch: feed.Fetch{ID: rand.Text(), Times: 1}, shown: shown})
}

// flush returns when all fetches that are known to be complete are recorded, in the journal too. A consumer that fetches
// repeatedly sees its own impressions: flush also waits until it is known what arrived on own, the connection that asks, and on
// connections that have ended. It gives up after waitLimit, and at once while the store is down.
func (r *recorder) flush(ctx context.Context, own *arrival.Conn) {
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	for _, f := range r.unsettled() {
		select {
		case <-f.settled:
			continue
		case <-time.After(time.Until(f.written.Add(settleGrace))): // the system may not have reported the end yet
		}
		if f.conn != own && !f.conn.Ended() {
			continue // its client may stay for long
		}
		select {
		case <-f.settled:
		case <-ctx.Done():
		}
	}
	r.wait(ctx)
}

// unsettled returns copies of the responses that are written.
func (r *recorder) unsettled() (all []fetch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for f := range r.pending {
		if f.conn != nil && !r.down {
			all = append(all, *f)
		}
	}
	return all
}

// wait returns when everything queued now is recorded.
func (r *recorder) wait(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) == 0 && !r.behind {
		return // the case for nearly all requests; what follows costs more
	}
	for target := r.queued; (r.recorded < target || r.behind) && r.running && !r.down && ctx.Err() == nil; {
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

// first returns the batch to record next, or nil, and the number of fetches that are not recorded yet.
func (r *recorder) first() (next *batch, unrecorded int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) > 0 {
		next = r.queue[0]
		next.sealed = true
	}
	return next, r.reserved
}

// update changes the state that wait depends on.
func (r *recorder) update(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	if r.progress != nil {
		close(r.progress)
		r.progress = nil
	}
}

func (r *recorder) removeFirst(change func()) {
	r.update(func() {
		r.recorded += uint64(r.queue[0].Times)
		r.reserved -= r.queue[0].Times
		r.queue[0] = nil
		r.queue = r.queue[1:]
		change()
	})
}
