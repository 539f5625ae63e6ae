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
	for _, s := range e.steps(ctx, all) {
		if !e.move(ctx, cursor, s) {
			return false
		}
	}
	return ctx.Err() == nil
}

// step is one move of the cursor: over news without subscribers, up to and including the next news with subscribers.
type step struct {
	to      string // id of the last signal
	news    News
	targets []target // none: the news has no subscribers
}

// target is a topic with subscribers and the outlet that makes its distributions.
type target struct {
	topic  string
	outlet *Outlet
}

func (e *Engine) steps(ctx context.Context, all []News) (steps []step) {
	var topics []string
	candidates := make([][]target, len(all)) // of each news
	for i, n := range all {
		for o := range e.outlets {
			for _, topic := range e.outlets[o].Topics(n.FeedURL) {
				topics = append(topics, topic)
				candidates[i] = append(candidates[i], target{topic, &e.outlets[o]})
			}
		}
	}
	subscribed := e.haveSubscribers(ctx, topics)
	for i, n := range all {
		s := step{to: n.Signals[len(n.Signals)-1].ID, news: n}
		for _, t := range candidates[i] {
			if len(subscribed) == 0 {
				return nil // ctx has ended
			}
			if subscribed[0] {
				s.targets = append(s.targets, t)
			}
			subscribed = subscribed[1:]
		}
		if k := len(steps); k > 0 && steps[k-1].targets == nil {
			steps[k-1] = s
		} else {
			steps = append(steps, s)
		}
	}
	return steps
}

// haveSubscribers reports for each topic whether it has subscribers. The result is empty if ctx ends.
func (e *Engine) haveSubscribers(ctx context.Context, topics []string) []bool {
	if len(topics) == 0 {
		return nil
	}
	subscribed, _ := patiently(ctx, e, "subscribers are not read", func(ctx context.Context) ([]bool, error) {
		return e.store.HaveSubscribers(ctx, topics)
	})
	return subscribed
}

func (e *Engine) move(ctx context.Context, cursor *string, s step) bool {
	var all []feed.Distribution
	for _, t := range s.targets {
		made, ok := patiently(ctx, e, "news is not distributed", func(ctx context.Context) ([]feed.Distribution, error) {
			return e.make(ctx, t, s.news)
		})
		if !ok {
			return false
		}
		all = append(all, made...)
	}
	if _, ok := patiently(ctx, e, "news is not distributed", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, e.store.Distribute(ctx, *cursor, s.to, all)
	}); !ok {
		return false
	}
	*cursor = s.to
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
