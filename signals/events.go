package signals

import (
	"cmp"
	"context"
	"log/slog"
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
	Buffer     int                   // signals buffered for one client before it is disconnected; default 256
	Heartbeat  time.Duration         // interval of comments that keep an idle stream open; default 15 s
}

const (
	batchSize = 100             // signals in one read
	readWait  = 5 * time.Second // timeout of one blocking read
)

// Events streams signals to HTTP clients while Run runs.
type Events struct {
	store   Store
	opts    Options
	metrics *metrics

	mu        sync.Mutex // guards the fields below; never held during I/O
	clients   map[*client]struct{}
	stopped   bool
	ready     chan struct{} // closed once the reader knows its position: later signals reach every client
	connected chan struct{} // has a token after a client connected
}

// New returns Events that read from store.
func New(store Store, opts Options) *Events {
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	opts.MaxClients = cmp.Or(opts.MaxClients, 64)
	opts.Buffer = cmp.Or(opts.Buffer, 256)
	opts.Heartbeat = cmp.Or(opts.Heartbeat, 15*time.Second)
	return &Events{
		store: store, opts: opts, metrics: newMetrics(opts.Registerer),
		clients: make(map[*client]struct{}), ready: make(chan struct{}), connected: make(chan struct{}, 1),
	}
}

// Run follows the outbox and sends each signal to every client until ctx ends. Then it ends all streams and returns nil.
// It does not read while there are no clients, because reading a signal also reads its post. It retries if the store
// fails. Call Run once.
func (e *Events) Run(ctx context.Context) error {
	defer e.stop()
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
		close(e.ready)
		for !e.idle() {
			batch, err := retry.Do(ctx, patience, func() ([]feed.Signal, error) { return e.store.Signals(ctx, last, batchSize, readWait) })
			if err != nil {
				return nil //nolint:nilerr // ctx has ended
			}
			for i := range batch {
				last = batch[i].ID
				e.broadcast(&batch[i])
			}
		}
	}
}

// idle reports whether there are no clients. The next client then waits until the reader has a new position.
func (e *Events) idle() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.clients) > 0 {
		return false
	}
	e.ready = make(chan struct{})
	return true
}

// broadcast sends a signal to every client that wants it. A client with a full buffer is disconnected, because waiting for
// it would delay all others. It loses nothing: it reconnects with Last-Event-ID.
func (e *Events) broadcast(s *feed.Signal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.clients) == 0 {
		return
	}
	ev, err := newEvent(s)
	if err != nil {
		e.opts.Logger.Error("signal omitted from event streams", "signal", s.ID, "err", err)
		return
	}
	for c := range e.clients {
		if !c.following || !c.wants(ev) {
			continue
		}
		select {
		case c.events <- ev:
		default:
			e.disconnect(c, endSlow)
		}
	}
}

// connect registers a client. The error is errStopping or errFull.
func (e *Events) connect(c *client) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.stopped:
		return errStopping
	case len(e.clients) >= e.opts.MaxClients:
		return errFull
	}
	e.clients[c], c.ready = struct{}{}, e.ready
	retry.Wake(e.connected)
	e.metrics.streams.Inc()
	return nil
}

// follow sends the client every signal that is read from now on.
func (e *Events) follow(c *client) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.following = true
}

// disconnect ends the stream of a client. The caller holds e.mu.
func (e *Events) disconnect(c *client, why endReason) {
	c.disconnected = why
	c.cancel()
	delete(e.clients, c)
}

// remove unregisters a client whose stream has ended. If disconnect ended it, the reason of disconnect counts.
func (e *Events) remove(c *client, why endReason) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.clients, c)
	if c.disconnected != "" {
		why = c.disconnected
	}
	e.metrics.streams.Dec()
	e.metrics.ended.WithLabelValues(string(why)).Inc()
}

// stop ends all streams and rejects new ones.
func (e *Events) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	for c := range e.clients {
		e.disconnect(c, endStop)
	}
}
