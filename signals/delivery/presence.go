package delivery

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
)

// Engines announce themselves, so that the claims of a killed one need not end by themselves.
const (
	announceEvery = 200 * time.Millisecond
	silence       = time.Second            // without an announcement, after which an engine may not start deliveries
	confirmAfter  = 400 * time.Millisecond // for which another one must be found silent before its deliveries are released
)

// announce announces this engine until ctx ends, and releases the deliveries of others that are silent. After an outage of the store
// all seem silent until they reach it again, hence confirmAfter.
func (e *Engine) announce(ctx context.Context) {
	found := make(map[string]time.Time) // the silent engines, since when
	for ctx.Err() == nil {
		now := e.opts.Now().Round(0) // also while the machine is suspended
		call, cancel := context.WithTimeout(ctx, silence)
		silent, err := e.store.AnnounceDaemon(call, e.opts.Daemon, silence)
		if err == nil {
			until := now.Add(silence)
			e.announcedUntil.Store(&until)
		}
		since := make(map[string]time.Time)
		for _, daemon := range silent {
			since[daemon] = now
			if first, known := found[daemon]; known {
				since[daemon] = first
			}
			if now.Sub(since[daemon]) >= confirmAfter {
				_ = e.release(call, daemon, silence) // a failure is repeated soon
			}
		}
		cancel()
		found = since
		retry.Await(ctx, nil, announceEvery)
	}
}

// mayDeliver reports whether no other engine can have released the deliveries of this one.
func (e *Engine) mayDeliver() bool {
	until := e.announcedUntil.Load()
	return until != nil && e.opts.Now().Before(*until)
}

// release makes the deliveries due that a daemon has claimed and not finished.
func (e *Engine) release(ctx context.Context, daemon string, silence time.Duration) error {
	n, err := e.store.ReleaseDeliveries(ctx, daemon, silence)
	if n > 0 {
		e.opts.Logger.Info("interrupted deliveries resumed", "count", n)
		retry.Wake(e.delivering)
	}
	return err
}
