// Package signals lets signals leave: it follows the outbox of the store and tells each change to whoever asked.
//
// Events streams them over HTTP as server-sent events. One reader follows the outbox for all clients; a client that
// comes back with the id of its last signal gets everything since, without gap and without repetition.
package signals

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is the outbox.
type Store interface {
	// Signals returns at most limit signals after the one with id after, oldest first; an empty id means from the
	// oldest kept. It may return fewer, but none only where there are none: then it has waited up to wait for the
	// first one. An id that is not kept any more is no error.
	Signals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error)
	// LastSignal returns the id of the newest signal; empty when there never was one.
	LastSignal(ctx context.Context) (string, error)
}

// Options are what may be chosen about Events. The zero value works.
type Options struct {
	Logger     *slog.Logger          // nil: discard
	Registerer prometheus.Registerer // nil: metrics are kept nowhere
	MaxClients int                   // streams at a time; 0: 64
	Buffer     int                   // signals that may wait for one client before it is let go; 0: 256
	Heartbeat  time.Duration         // between comments that keep an idle stream open; 0: 15 s
}

const (
	batch        = 100             // signals in one read
	readWait     = 5 * time.Second // one blocking read of the outbox
	firstBackOff = 100 * time.Millisecond
	lastBackOff  = 2 * time.Second // the store counts as recovered within 5 s
)

// Events streams the signals to HTTP clients. Create it with New; it serves while Run runs.
type Events struct {
	store   Store
	opts    Options
	metrics *metrics

	mu      sync.Mutex // held for a map operation or the hand-over of one signal, never over I/O
	clients map[*client]struct{}
	stopped bool
	ready   chan struct{} // closed when the reader knows its place: what comes later reaches every client; guarded by mu
	arrived chan struct{} // holds a token when a client has come
}

// New returns Events that read from store.
func New(store Store, opts Options) *Events {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.MaxClients <= 0 {
		opts.MaxClients = 64
	}
	if opts.Buffer <= 0 {
		opts.Buffer = 256
	}
	if opts.Heartbeat <= 0 {
		opts.Heartbeat = 15 * time.Second
	}
	return &Events{
		store: store, opts: opts, metrics: newMetrics(opts.Registerer),
		clients: make(map[*client]struct{}), ready: make(chan struct{}), arrived: make(chan struct{}, 1),
	}
}

// Run follows the outbox and hands each signal to every client, until ctx ends; then it ends all streams. While nobody
// listens nothing is read, because a signal comes with its post. While the store fails it tries again with growing
// pauses. It is called once.
func (e *Events) Run(ctx context.Context) error {
	defer e.stop()
	for e.awaken(ctx) {
		var at string
		if !e.retry(ctx, func() (err error) { at, err = e.store.LastSignal(ctx); return err }) {
			return nil
		}
		close(e.ready)
		for !e.rest() {
			var news []feed.Signal
			if !e.retry(ctx, func() (err error) { news, err = e.store.Signals(ctx, at, batch, readWait); return err }) {
				return nil
			}
			for i := range news {
				at = news[i].ID
				e.broadcast(&news[i])
			}
		}
	}
	return nil
}

// awaken waits for a client, and reports false when ctx ends first.
func (e *Events) awaken(ctx context.Context) bool {
	select {
	case <-e.arrived:
		return true
	case <-ctx.Done():
		return false
	}
}

// rest reports whether nobody listens; who comes then waits until the reader knows its place anew.
func (e *Events) rest() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.clients) > 0 {
		return false
	}
	e.ready = make(chan struct{})
	return true
}

// retry calls read until it succeeds and reports true, or until ctx ends and reports false. It logs the first failure
// and the recovery, not each try.
func (e *Events) retry(ctx context.Context, read func() error) bool {
	pause := firstBackOff
	for tries := 0; ctx.Err() == nil; tries++ {
		err := read()
		switch {
		case err == nil && tries > 0:
			e.opts.Logger.Info("the outbox can be read again")
			return true
		case err == nil:
			return true
		case ctx.Err() == nil && tries == 0:
			e.opts.Logger.Warn("cannot read the outbox, trying again", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, lastBackOff)
	}
	return false
}

// broadcast hands a signal to each client that follows and wants it. A client with a full buffer is let go: it comes
// back with Last-Event-ID and loses nothing, while waiting for it would hold up all others.
func (e *Events) broadcast(s *feed.Signal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.clients) == 0 {
		return
	}
	ev, err := newEvent(s)
	if err != nil {
		e.opts.Logger.Error("signal left out of the streams", "signal", s.ID, "err", err)
		return
	}
	for c := range e.clients {
		if !c.following || !c.wants(ev) {
			continue
		}
		select {
		case c.events <- ev:
		default:
			e.drop(c, endSlow)
		}
	}
}

// admit takes a client in, or says why not.
func (e *Events) admit(c *client) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.stopped:
		return errStopping
	case len(e.clients) >= e.opts.MaxClients:
		return errFull
	}
	e.clients[c], c.ready = struct{}{}, e.ready
	select {
	case e.arrived <- struct{}{}:
	default: // the reader will look
	}
	e.metrics.streams.Inc()
	return nil
}

// follow makes the client get each signal that the reader reads from now on.
func (e *Events) follow(c *client) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.following = true
}

// drop ends the stream of a client; e.mu is held.
func (e *Events) drop(c *client, why ending) {
	c.dropped = why
	c.cancel()
	delete(e.clients, c)
}

// dismiss forgets a client whose stream has ended, for the given reason unless it was dropped for another one.
func (e *Events) dismiss(c *client, why ending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.clients, c)
	if c.dropped != "" {
		why = c.dropped
	}
	e.metrics.streams.Dec()
	e.metrics.ended[why].Inc()
}

// stop ends all streams and takes no new ones.
func (e *Events) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	for c := range e.clients {
		e.drop(c, endStop)
	}
}
