package publish

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/feedwire/feedwire/store/feed"
)

// fetch is one response to the consumer.
type fetch struct{ shown []feed.Impression }

// unproved is where and when the response to a fetch was written.
type unproved struct {
	conn    *receiptConn // nil: it is being written, or its connection tells nothing
	written time.Time
}

// batch is fetches of one document, proved one after the other. Its id makes recording it twice harmless, so it is kept
// through all tries: a write whose answer was lost may have been done.
type batch struct {
	feed.Fetch
	shown  []feed.Impression
	sealed bool // it was tried, so it may be recorded: nothing can be added
}

const (
	patience   = 50 * time.Millisecond // how long a request waits for the receipt of a response just written
	waitLimit  = time.Second           // how long a request waits for the impressions of earlier ones
	drainLimit = 5 * time.Second       // how long Run goes on after its context ended
	retryFirst = 100 * time.Millisecond
	retryMost  = 2 * time.Second
	gathering  = 50 * time.Millisecond // between batches that nobody waits for
)

// recorder brings the impressions of one feed to the store, one batch after the other, off the path of responses. While
// the store is away it brings them to the journal.
type recorder struct {
	store       Store
	typ         string       // of the feed
	retireAfter atomic.Int64 // as Outgoing has it
	opts        Options
	metrics     *feedMetrics
	changed     func()        // promoted articles have left the feed
	journal     *journal      // nil: there is none; its methods are for run alone
	wake        chan struct{} // of run: there is something to do, or less to wait for
	again       chan struct{} // of run: the store seems to be back

	mu       sync.Mutex
	reserved int                 // fetches between reserve and release
	unproved map[*fetch]unproved // responses from begin on whose arrival is not known yet
	queue    []*batch            // proved, oldest first; the first one is being recorded
	queued   uint64              // fetches ever queued
	recorded uint64              // and taken from the queue
	progress chan struct{}       // closed when recorded grows or the state below changes; nil: nobody waits
	running  bool
	down     bool // the last try failed
	behind   bool // the journal holds fetches
}

func newRecorder(store Store, typ string, opts Options, m *feedMetrics, changed func()) *recorder {
	return &recorder{
		store: store, typ: typ, opts: opts, metrics: m, changed: changed, journal: newJournal(typ, opts, m),
		wake: make(chan struct{}, 1), again: make(chan struct{}, 1), unproved: make(map[*fetch]unproved),
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
	signal(r.wake)
}

// begin makes the fetch for a response that is about to be written.
func (r *recorder) begin(shown []feed.Impression) *fetch {
	f := &fetch{shown: shown}
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
		r.enqueue(f.shown)
	} else {
		r.reserved--
	}
	r.mu.Unlock()
	signal(r.wake)
}

// enqueue adds a fetch to the last batch, if that is of the same document, or makes a new one; r.mu is held.
func (r *recorder) enqueue(shown []feed.Impression) {
	r.queued++
	if n := len(r.queue); n > 0 {
		if last := r.queue[n-1]; !last.sealed && sameShown(last.shown, shown) {
			last.Times++
			return
		}
	}
	r.queue = append(r.queue, &batch{Fetch: feed.Fetch{ID: rand.Text(), Times: 1}, shown: shown})
}

// sameShown tells whether both are the list of the same document; neither is empty.
func sameShown(a, b []feed.Impression) bool { return len(a) == len(b) && &a[0] == &b[0] }

// signal wakes who reads c.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
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

// wait returns when all that is queued now has been recorded, the journal included, at once while the store is down, and
// after a second anyway.
func (r *recorder) wait(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) == 0 && !r.behind {
		return // as for nearly all requests; the rest is not free
	}
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
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

// run records until ctx has ended and nothing is left, or drainLimit has passed since.
func (r *recorder) run(ctx context.Context) {
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(drainLimit, cancel) })()
	r.journal.open()
	defer r.journal.close()
	r.change(func() { r.running, r.behind = true, r.journal.waiting() })
	defer r.change(func() { r.running = false })

	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = retryFirst, retryMost
	var retry <-chan time.Time // not nil: the store is down until then
	stopping := ctx.Done()
	for hard.Err() == nil {
		b, expected := r.first()
		tried, done := true, false
		switch {
		case retry != nil && b != nil && r.keep(b):
			continue
		case retry == nil && r.journal.waiting() && ctx.Err() == nil:
			done = r.replay(hard)
		case retry == nil && b != nil:
			if done = r.record(hard, b); done && r.retireAfter.Load() == 0 {
				r.gather(ctx)
			}
		case b == nil && expected == 0 && ctx.Err() != nil:
			return
		default:
			tried = false
		}
		switch {
		case !tried:
			select {
			case <-r.wake:
			case <-r.again:
				retry = nil
			case <-retry:
				retry = nil
			case <-stopping:
				stopping = nil
			case <-hard.Done():
			}
		case done:
			pause.Reset()
		default:
			retry = time.After(pause.NextBackOff())
		}
	}
	r.end()
}

// gather lets fetches come together that no request waits to see recorded.
func (*recorder) gather(ctx context.Context) {
	select {
	case <-time.After(gathering):
	case <-ctx.Done():
	}
}

// end puts what is proved into the journal and tells how many fetches are lost.
func (r *recorder) end() {
	b, lost := r.first()
	for b != nil && r.keep(b) {
		b, lost = r.first()
	}
	if lost > 0 {
		r.opts.Logger.Error("stopped before all impressions were recorded", "feed", r.typ, "fetches", lost)
	}
}

// first is the batch to record next, nil where there is none, and how many fetches are on their way altogether.
func (r *recorder) first() (next *batch, expected int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) > 0 {
		next = r.queue[0]
		next.sealed = true
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

// keep moves a batch to the journal, if that can take it.
func (r *recorder) keep(b *batch) bool {
	if !r.journal.add(b) {
		return false
	}
	r.done(func() { r.behind = true })
	return true
}

// replay brings the next fetches of the journal to the store; false: it is away.
func (r *recorder) replay(ctx context.Context) bool {
	fetches, next := r.journal.next()
	done := len(fetches.All) == 0 || r.bring(ctx, fetches)
	if done {
		r.journal.forget(next)
	}
	r.change(func() { r.behind, r.down = r.journal.waiting(), !done })
	return done
}

// record brings a batch to the store; false: it is away.
func (r *recorder) record(ctx context.Context, b *batch) bool {
	if !r.bring(ctx, feed.Fetches{Shown: b.shown, All: []feed.Fetch{b.Fetch}}) {
		r.change(func() { r.down = true })
		return false
	}
	r.done(func() { r.down = false })
	return true
}

// bring records fetches, if the store can be asked. Where that fails in any other way, as on a damaged key, they are
// dropped: they would fail again and hold up all others.
func (r *recorder) bring(ctx context.Context, fetches feed.Fetches) bool {
	result, err := r.try(ctx, fetches)
	switch {
	case err == nil:
		r.report(len(fetches.Shown), result)
	case !errors.Is(err, feed.ErrUnavailable):
		r.opts.Logger.Error("impressions dropped", "feed", r.typ, "fetches", fetches.Times(), "err", err)
	default:
		if !r.down { // only run changes it
			r.opts.Logger.Warn("impressions wait for the store", "feed", r.typ, "err", err)
		}
		return false
	}
	return true
}

// try asks the store once. Once ctx or the time for the call has ended, an error says nothing about the fetches: it is
// feed.ErrUnavailable then, whatever the store made of them.
func (r *recorder) try(ctx context.Context, fetches feed.Fetches) (feed.ImpressionResult, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	result, err := r.store.RecordImpressions(ctx, r.typ, fetches, int(r.retireAfter.Load()))
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", feed.ErrUnavailable, err)
	}
	return result, err
}

// report tells what recording shown articles did. What is answered of known fetches is news too: its first answer was lost.
func (r *recorder) report(shown int, result feed.ImpressionResult) {
	r.metrics.counted.Add(float64(result.Counted))
	r.metrics.ignored.Add(float64(result.Ignored))
	r.metrics.duplicate.Add(float64(shown * result.Known))
	for _, uuid := range result.Promoted {
		r.opts.Logger.Info("article promoted", "article", uuid, "feed", r.typ)
	}
	if len(result.Promoted) > 0 {
		r.changed()
		if r.opts.OnPromoted != nil {
			r.opts.OnPromoted(r.typ, result.Promoted)
		}
	}
}

// done takes the first batch from the queue.
func (r *recorder) done(update func()) {
	r.change(func() {
		r.recorded += uint64(r.queue[0].Times)
		r.reserved -= r.queue[0].Times
		r.queue[0] = nil
		r.queue = r.queue[1:]
		update()
	})
}
