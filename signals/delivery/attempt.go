package delivery

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// attempt makes the delivery of a result, and completes the result.
func (e *Engine) attempt(ctx context.Context, r *result) {
	d := &r.Delivery
	sub := &d.Subscription
	defer func() {
		if p := recover(); p != nil {
			e.opts.OnPanic("signal")
			e.opts.Logger.Error("panic in a delivery", "delivery", d.ID(), "subscription", sub.ID, "err", p,
				"stack", string(debug.Stack()))
			r.fail(e, response{class: classError})
		}
	}()
	if sub.Kind == feed.KindPing && !slices.Contains(e.current.Load().Pings, sub.Callback) {
		r.remove = resultGone
		return
	}
	if !sub.Until.IsZero() && !e.opts.Now().Before(sub.Until) {
		r.remove = resultExpired
		return
	}
	version, err := e.versions.get(ctx, sub.Topic, d.Version, sub.Form)
	erased := errors.Is(err, feed.ErrNotFound)
	if err != nil && !erased {
		r.Outcome, r.Next = feed.Deferred, e.opts.Now().Add(time.Second)
		return
	}
	if !erased {
		d.Version = version.Version
	}
	if erased || version.Body == nil {
		r.Outcome = feed.Delivered
		sub.Health = feed.Health{} // the stored one stays: the subscriber has accepted nothing
		e.metrics.ended(sub.Kind, resultFiltered)
		return
	}
	id, start := d.ID(), e.opts.Now()
	resp, err := e.send(ctx, d, id, version)
	if err != nil || ctx.Err() != nil && resp.status == 0 { // the lease is over, or the daemon stops
		r.Outcome, r.Next = feed.Deferred, e.opts.Now()
		return
	}
	r.attempted, r.response = true, resp
	end := e.opts.Now()
	defer func() {
		r.MaxAttempts = e.current.Load().Attempts
		r.Attempt = feed.Attempt{
			Time: start, Version: version.Version, Duration: feed.Duration(end.Sub(start)), Status: resp.status, Reason: resp.reason(), Next: r.Next,
		}
	}()
	e.metrics.attempts.WithLabelValues(string(sub.Kind), resp.class).Inc()
	e.opts.Logger.LogAttrs(ctx, slog.LevelDebug, "delivery", slog.String("delivery", id),
		slog.String("subscription", sub.ID), slog.String("feed", sub.Topic), slog.String("class", resp.class),
		slog.Int64("ms", end.Sub(start).Milliseconds()), slog.Int64("age_ms", end.Sub(version.Time).Milliseconds()))
	switch {
	case resp.class == classSuccess:
		r.Outcome, r.Readers = feed.Delivered, resp.readers
		e.metrics.delivered(sub.Kind, id, end, end.Sub(version.Time))
	case resp.status == http.StatusGone: // the subscriber has ended the subscription (WebSub section 7)
		r.remove = resultGone
	default:
		r.fail(e, resp)
	}
}
