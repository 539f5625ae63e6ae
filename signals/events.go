package signals

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// Store reads the outbox. Implementations must be safe for concurrent use.
type Store interface {
	// Signals returns up to limit signals after the given id, oldest first; an empty id means the oldest stored signal. If
	// there are none it waits up to wait for the first one. An id that is no longer stored is valid.
	Signals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error)
	// LastSignal returns the id of the newest signal, or "" if there has never been one.
	LastSignal(ctx context.Context) (string, error)
}

// Options configures Events. The zero value works.
type Options struct {
	Logger     *slog.Logger          // nil discards
	Registerer prometheus.Registerer // nil disables registration
	MaxClients int                   // concurrent streams; default 64
	Buffer     int                   // newest signals kept in memory; a client that is further behind is disconnected; default 256
	Heartbeat  time.Duration         // interval of comments that keep an idle stream open; default 15 s
}

const (
	batchSize = 100             // signals in one read
	readWait  = 5 * time.Second // timeout of one blocking read
)

// Events streams signals to HTTP clients while Run runs.
type Events struct {
	store     Store
	opts      Options
	metrics   *metrics
	connected chan struct{} // has a token after a client connected
	failures  retry.Report  // of streams

	mu        sync.Mutex // guards the fields below; never held during I/O
	clients   int
	stopped   bool
	following bool          // the reader knows its position
	since     signalID      // if following: recent has every signal after this one
	recent    []*event      // the newest ones, oldest first
	changed   chan struct{} // closed and replaced after each change of the four fields above
}

// New returns Events that read from store.
func New(store Store, opts Options) *Events {
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	opts.MaxClients = cmp.Or(opts.MaxClients, 64)
	opts.Buffer = cmp.Or(opts.Buffer, 256)
	opts.Heartbeat = cmp.Or(opts.Heartbeat, 15*time.Second)
	return &Events{
		store: store, opts: opts, metrics: newMetrics(opts.Registerer),
		connected: make(chan struct{}, 1), changed: make(chan struct{}),
	}
}

// Run follows the outbox for all clients until ctx ends. Then it ends all streams and returns nil. It does not read while
// there are no clients, because reading a signal also reads its post. It retries if the store fails. Call Run once.
func (e *Events) Run(ctx context.Context) error {
	defer e.update(func() { e.stopped = true })
	patience := retry.Options{
		Failing:   func(err error) { e.opts.Logger.Warn("cannot read the outbox, retrying", "err", err) },
		Recovered: func() { e.opts.Logger.Info("the outbox can be read again") },
	}
	for {
		select {
		case <-e.connected:
		case <-ctx.Done():
			return nil
		}
		last, err := retry.Do(ctx, patience, func() (string, error) { return e.store.LastSignal(ctx) })
		if err != nil {
			return nil //nolint:nilerr // ctx has ended
		}
		since, _ := parseSignalID(last) // the store returns valid ids
		e.update(func() { e.following, e.since = true, since })
		for !e.idle() {
			batch, err := retry.Do(ctx, patience, func() ([]feed.Signal, error) { return e.store.Signals(ctx, last, batchSize, readWait) })
			if err != nil {
				return nil //nolint:nilerr // ctx has ended
			}
			if len(batch) > 0 {
				last = batch[len(batch)-1].ID
				e.add(batch)
			}
		}
	}
}

// update changes the state that clients wait for.
func (e *Events) update(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
	close(e.changed)
	e.changed = make(chan struct{})
}

// add makes signals available to all clients, each encoded once.
func (e *Events) add(batch []feed.Signal) {
	news := make([]*event, 0, len(batch))
	for i := range batch {
		ev, err := newEvent(&batch[i])
		if err != nil {
			e.opts.Logger.Error("signal omitted from event streams", "signal", batch[i].ID, "err", err)
			continue
		}
		news = append(news, ev)
	}
	e.update(func() {
		e.recent = append(e.recent, news...)
		for _, ev := range news {
			if ev.kind == feed.PostDeleted {
				removePosts(e.recent, ev)
			}
		}
		if old := len(e.recent) - e.opts.Buffer; old > 0 {
			e.since = e.recent[old-1].id
			e.recent = slices.Delete(e.recent, 0, old)
		}
	})
}

// idle reports whether there are no clients. The reader then needs a new position for the next client.
func (e *Events) idle() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.clients > 0 {
		return false
	}
	e.following, e.recent = false, nil
	return true
}

// next returns the recent signals that a client does not have, or why its stream must end, and a channel that is closed when
// there is more. A client that is not live yet has to read the store. A live one that is too far behind loses nothing: it
// reconnects with Last-Event-ID.
func (e *Events) next(c *client) (news []*event, changed <-chan struct{}, why endReason) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.stopped:
		why = endStop
	case e.following && !e.since.after(c.last):
		c.live = true
		first := len(e.recent)
		for first > 0 && e.recent[first-1].id.after(c.last) {
			first--
		}
		news = slices.Clone(e.recent[first:])
	case c.live:
		why = endSlow
	}
	return news, e.changed, why
}

// connect counts a client and reports whether the reader knows its position. The error is for the client.
func (e *Events) connect() (following bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.stopped:
		return false, errors.New("the daemon is stopping; reconnect with Last-Event-ID")
	case e.clients >= e.opts.MaxClients:
		e.metrics.refused.Inc()
		return false, errors.New("the limit of concurrent streams is reached; retry later, or read /api/v1/signals")
	}
	e.clients++
	retry.Wake(e.connected)
	e.metrics.streams.Inc()
	return e.following, nil
}

// disconnect counts a client whose stream has ended.
func (e *Events) disconnect(why endReason) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clients--
	e.metrics.streams.Dec()
	e.metrics.ended.WithLabelValues(string(why)).Inc()
}
