package delivery

import (
	"context"
	"errors"
	"slices"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// readLimit bounds the signals of one read. A document with more signals is distributed in several versions.
const readLimit = 500

// distribute follows the outbox and distributes the news of each document until ctx ends. If several daemons distribute,
// the store lets only one of them move the cursor.
func (e *Engine) distribute(ctx context.Context) {
	for ctx.Err() == nil {
		cursor, ok := patiently(ctx, e, "the outbox is not read", e.store.HubCursor)
		for ok && e.distributeFrom(ctx, &cursor) {
		}
	}
}

// distributeFrom distributes the signals after the cursor. It reports false if the cursor has to be read again.
func (e *Engine) distributeFrom(ctx context.Context, cursor *string) bool {
	signals, ok := patiently(ctx, e, "the outbox is not read", func(ctx context.Context) ([]feed.Signal, error) {
		return e.store.BareSignals(ctx, *cursor, readLimit, planEvery)
	})
	if !ok {
		return false
	}
	all := groupByDocument(signals)
	if len(all) > 1 && len(signals) == readLimit {
		all = all[:len(all)-1] // the last document may have more signals
	}
	var topics []string
	targets := make([][]target, len(all)) // of each news
	for i, n := range all {
		for o := range e.outlets {
			for _, topic := range e.outlets[o].Topics(n.FeedURL) {
				topics = append(topics, topic)
				targets[i] = append(targets[i], target{topic, &e.outlets[o]})
			}
		}
	}
	subscribed, ok := e.haveSubscribers(ctx, topics)
	for i := 0; ok && i < len(all); i++ {
		wanted := slices.DeleteFunc(targets[i], func(t target) bool { return !subscribed[t.topic] })
		if len(wanted) > 0 || i == len(all)-1 { // the cursor moves over other news with the next
			ok = e.move(ctx, cursor, all[i], wanted)
		}
	}
	return ok && ctx.Err() == nil
}

// target is a topic and the outlet that makes its distributions.
type target struct {
	topic  string
	outlet *Outlet
}

// haveSubscribers returns those topics that have subscribers. It reports false if ctx has ended.
func (e *Engine) haveSubscribers(ctx context.Context, topics []string) (subscribed map[string]bool, ok bool) {
	if len(topics) == 0 {
		return nil, true
	}
	all, ok := patiently(ctx, e, "subscribers are not read", func(ctx context.Context) ([]bool, error) {
		return e.store.HaveSubscribers(ctx, topics)
	})
	subscribed = make(map[string]bool, len(all))
	for i := range all {
		subscribed[topics[i]] = all[i]
	}
	return subscribed, ok
}

// move distributes news to its targets and moves the cursor to its last signal. It reports false if the cursor has to be read
// again.
func (e *Engine) move(ctx context.Context, cursor *string, news News, targets []target) bool {
	var all []feed.Distribution
	for _, t := range targets {
		made, ok := patiently(ctx, e, "news is not distributed", func(ctx context.Context) ([]feed.Distribution, error) {
			return e.make(ctx, t, news)
		})
		if !ok {
			return false
		}
		all = append(all, made...)
	}
	to := news.Signals[len(news.Signals)-1].ID
	if _, ok := patiently(ctx, e, "news is not distributed", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, e.store.Distribute(ctx, *cursor, to, all)
	}); !ok {
		return false
	}
	*cursor = to
	if len(all) > 0 {
		e.metrics.distributions.Add(float64(len(all)))
		retry.Wake(e.planning)
	}
	return true
}

// make makes the distributions of one topic. It logs and omits news that cannot be distributed, so that it does not block
// the news behind it.
func (e *Engine) make(ctx context.Context, t target, news News) (all []feed.Distribution, err error) {
	defer func() {
		if err != nil && !errors.Is(err, feed.ErrUnavailable) && ctx.Err() == nil {
			e.opts.Logger.Error("news omitted", "feed", news.FeedURL, "signal", news.Signals[0].ID, "err", err)
			all, err = nil, nil
		}
	}()
	defer e.recoverTo(&err)
	if !slices.ContainsFunc(news.Signals, func(s feed.Signal) bool { return s.Post != nil }) {
		if err := e.store.LoadPosts(ctx, news.Signals); err != nil {
			return nil, err
		}
	}
	return t.outlet.Make(ctx, t.topic, news)
}
