package publish

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
)

// maxProbeInterval is the longest pause between refreshes while the store is unavailable.
const maxProbeInterval = time.Second

// watch refreshes an outlet in the background, so that requests do not wait for the store: while the store is unavailable, and when
// the cached response ages.
type watch struct {
	running  atomic.Bool
	away     atomic.Bool   // the store is, and the watch waits for its return
	renewing atomic.Bool   // a request found the cached response half as old as it may get, and no refresh followed yet
	wake     chan struct{} // has a token if the store is unavailable or the cached response ages
}

// watchStore runs until ctx ends.
func (o *outlet) watchStore(ctx context.Context) {
	w := o.watch
	w.running.Store(true)
	defer func() {
		w.running.Store(false)
		w.away.Store(false)
	}()
	for {
		select {
		case <-w.wake:
		case <-ctx.Done():
			return
		}
		if !w.away.Load() {
			o.probe(ctx)
		}
		for pause := retryFirst; w.away.Load(); pause = min(2*pause, maxProbeInterval) {
			if !retry.Await(ctx, nil, pause) {
				return
			}
			o.probe(ctx)
		}
	}
}

// changePause is the time between a change and its rendering without a request.
const changePause = time.Second

// renderChanges renders changes by this daemon if no request does, until ctx ends.
func (o *outlet) renderChanges(ctx context.Context) {
	for {
		select {
		case <-o.changed:
		case <-ctx.Done():
			return
		}
		if !retry.Await(ctx, nil, changePause) {
			return
		}
		o.current(ctx, false)
	}
}

func (o *outlet) probe(ctx context.Context) {
	o.share(func() response { return o.refresh(context.WithoutCancel(ctx)) })
}

// reportRefresh logs the first failure and the recovery, but not each refresh in between. On a failure it hands over to the
// watch.
func (o *outlet) reportRefresh(err error) {
	switch {
	case err != nil && !o.failing:
		o.opts.Logger.Warn("feed cannot be brought up to date", "feed", o.Type, "copy", o.doc != nil, "err", err)
	case err == nil && o.failing:
		o.opts.Logger.Info("feed is up to date again", "feed", o.Type)
		retry.Wake(o.recorder.retryNow)
	}
	o.failing = err != nil
	away := err != nil && o.watch.running.Load()
	if o.watch.away.Store(away); away {
		retry.Wake(o.watch.wake)
	}
}
