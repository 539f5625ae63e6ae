package hub

import (
	"context"
	"errors"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// News is what one document brought: its signals, in their order.
type News struct {
	FeedURL string
	Signals []feed.Signal
}

// Outlet makes distributions of news.
type Outlet struct {
	// Topics names the topics that news of a source concerns.
	Topics func(feedURL string) []string
	// Make makes the distributions for one of them, in their order; none means that there is nothing to distribute. An error
	// that is feed.ErrUnavailable means "not now".
	Make func(ctx context.Context, topic string, news News) ([]feed.Distribution, error)
}

// most signals that are read at a time; the document of more would be distributed in parts.
const readLimit = 500

// distribute follows the outbox and makes a distribution of each document, until ctx ends. Where several daemons do so,
// the store lets one of them move on.
func (e *Engine) distribute(ctx context.Context) {
	for ctx.Err() == nil {
		var at string
		if !e.retry(ctx, "the outbox is not read", func(ctx context.Context) (err error) {
			at, err = e.store.HubCursor(ctx)
			return err
		}) {
			continue
		}
		for e.distributeFrom(ctx, &at) {
		}
	}
}

// distributeFrom reads on from a signal. It reports false when the place has to be looked up again.
func (e *Engine) distributeFrom(ctx context.Context, at *string) bool {
	var signals []feed.Signal
	if !e.retry(ctx, "the outbox is not read", func(ctx context.Context) (err error) {
		signals, err = e.store.BareSignals(ctx, *at, readLimit, planEvery)
		return err
	}) {
		return false
	}
	all := documents(signals)
	if len(all) > 1 && len(signals) == readLimit {
		all = all[:len(all)-1] // it may go on
	}
	for _, batch := range e.subscribed(ctx, all) {
		if !e.move(ctx, at, batch) {
			return false
		}
	}
	return ctx.Err() == nil
}

// documents groups signals by the document that brought them: all of it are written in one moment, one after another.
func documents(signals []feed.Signal) (all []News) {
	for i, s := range signals {
		if i == 0 || s.FeedURL != signals[i-1].FeedURL || !s.Time.Equal(signals[i-1].Time) {
			all = append(all, News{FeedURL: s.FeedURL})
		}
		last := &all[len(all)-1]
		last.Signals = append(last.Signals, s)
	}
	return all
}

// step is one move of the cursor: the news that nobody subscribes to, up to some that somebody does.
type step struct {
	to   string // id of the last signal
	news News   // empty: nobody subscribes to any
	sent []topicOutlet
}

type topicOutlet struct {
	topic  string
	outlet *Outlet
}

// subscribed finds the news that somebody subscribes to.
func (e *Engine) subscribed(ctx context.Context, all []News) (steps []step) {
	var topics []string
	var concerned []topicOutlet
	from := make([]int, 0, len(all)+1) // where in topics those of each news begin
	for _, n := range all {
		from = append(from, len(topics))
		for i := range e.outlets {
			for _, topic := range e.outlets[i].Topics(n.FeedURL) {
				topics = append(topics, topic)
				concerned = append(concerned, topicOutlet{topic, &e.outlets[i]})
			}
		}
	}
	from = append(from, len(topics))
	var have []bool
	if len(all) == 0 || !e.retry(ctx, "subscribers are not looked for", func(ctx context.Context) (err error) {
		have, err = e.store.HaveSubscribers(ctx, topics)
		return err
	}) {
		return nil
	}
	for i, n := range all {
		s := step{to: n.Signals[len(n.Signals)-1].ID}
		for j := from[i]; j < from[i+1]; j++ {
			if have[j] {
				s.sent = append(s.sent, concerned[j])
			}
		}
		if s.sent != nil {
			s.news = n
		}
		if k := len(steps); k > 0 && steps[k-1].sent == nil {
			steps[k-1] = s // nothing to do on the way here
		} else {
			steps = append(steps, s)
		}
	}
	return steps
}

// move makes the distributions of one step and moves the cursor with them.
func (e *Engine) move(ctx context.Context, at *string, s step) bool {
	var all []feed.Distribution
	for _, t := range s.sent {
		var made []feed.Distribution
		if !e.retry(ctx, "news is not distributed", func(ctx context.Context) (err error) {
			made, err = e.make(ctx, t, s.news)
			return err
		}) {
			return false
		}
		all = append(all, made...)
	}
	if !e.retry(ctx, "news is not distributed", func(ctx context.Context) error {
		return e.store.Distribute(ctx, *at, s.to, all)
	}) {
		return false
	}
	*at = s.to
	if len(all) > 0 {
		e.metrics.distributions.Add(float64(len(all)))
		wake(e.planning)
	}
	return true
}

// make makes the distributions of one topic. What cannot be made is left out and logged: it must not keep the others back.
func (e *Engine) make(ctx context.Context, t topicOutlet, news News) (all []feed.Distribution, err error) {
	defer func() {
		if err != nil && !errors.Is(err, feed.ErrUnavailable) && ctx.Err() == nil {
			e.opts.Logger.Error("news left out", "feed", news.FeedURL, "signal", news.Signals[0].ID, "err", err)
			all, err = nil, nil
		}
	}()
	defer e.rescue(&err)
	if !slices.ContainsFunc(news.Signals, func(s feed.Signal) bool { return s.Post != nil }) {
		if err := e.store.LoadPosts(ctx, news.Signals); err != nil {
			return nil, err
		}
	}
	return t.outlet.Make(ctx, t.topic, news)
}
