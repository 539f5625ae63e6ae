package hub

import (
	"context"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// attempt makes one delivery and says what is to be written of it.
func (e *Engine) attempt(ctx context.Context, d *feed.Delivery) (s settled) {
	s.Delivery = *d
	defer func() {
		if p := recover(); p != nil {
			e.opts.OnPanic("signal")
			e.opts.Logger.Error("panic in a delivery", "delivery", s.Delivery.ID(), "subscription", d.Subscription.ID, "err", p,
				"stack", string(debug.Stack()))
			s.fail(e, answer{class: classError})
		}
	}()
	if sub := &d.Subscription; sub.Way == feed.WayPing && !slices.Contains(e.terms().Pings, sub.Callback) {
		s.remove = removeGone
		return s
	}
	if until := d.Subscription.Until; !until.IsZero() && !e.opts.Now().Before(until) {
		s.remove = removeExpired
		return s
	}
	version, err := e.bodies.get(ctx, d.Subscription.Topic, d.Version)
	if err != nil {
		s.Outcome, s.Next = feed.Deferred, e.opts.Now().Add(time.Second)
		return s
	}
	s.Delivery.Version = version.Version
	id, begun := s.Delivery.ID(), e.opts.Now()
	a, err := e.send(ctx, d, version)
	if err != nil || ctx.Err() != nil && a.status == 0 { // the claim is over, or the daemon stops
		s.Outcome, s.Next = feed.Deferred, e.opts.Now()
		return s
	}
	s.tried, s.answer = true, a
	e.metrics.tried(d.Subscription.Way, a.class)
	e.opts.Logger.LogAttrs(ctx, slog.LevelDebug, "delivery", slog.String("delivery", id),
		slog.String("subscription", d.Subscription.ID), slog.String("feed", d.Subscription.Topic), slog.String("class", a.class),
		slog.Int64("ms", e.opts.Now().Sub(begun).Milliseconds()), slog.Int64("age_ms", e.opts.Now().Sub(version.Time).Milliseconds()))
	switch {
	case a.class == classTaken:
		s.Outcome, s.Readers = feed.Delivered, a.readers
		e.metrics.delivered(d.Subscription.Way, id, e.opts.Now().Sub(version.Time))
	case a.gone():
		s.remove = removeGone
	default:
		s.fail(e, a)
	}
	return s
}
