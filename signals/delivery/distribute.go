package delivery

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// readLimit bounds the signals of one read. A document with more signals is distributed in several versions.
const readLimit = 500

// distributor distributes the news of each document in the outbox. If several daemons distribute, the store lets only one of them
// make each step.
type distributor struct {
	*Engine
	feed.HubProgress
	overtaking *overtaking // nil: there is no backlog
}

// distribute follows the outbox until ctx ends.
func (e *Engine) distribute(ctx context.Context) {
	d := &distributor{Engine: e}
	for ctx.Err() == nil {
		progress, ok := patiently(ctx, e, "the outbox is not read", e.store.HubProgress)
		if ok && !d.continuedBy(progress) {
			d.overtaking = nil
		}
		d.HubProgress = progress
		for ok && d.next(ctx) {
		}
	}
}

// next distributes the signals after the cursor. It reports false if the progress has to be read again.
func (d *distributor) next(ctx context.Context) bool {
	all, complete, ok := d.read(ctx, d.Cursor, readLimit, planEvery)
	if !ok {
		return false
	}
	targets, ok := d.targets(ctx, all)
	if complete && len(all) <= maxBehind {
		d.overtaking = nil
	} else if d.overtaking == nil && len(targets) > 0 { // the cursor is quick to pass news without targets
		d.overtaking = newOvertaking(d.Cursor)
	}
	for i := 0; ok && i < len(all); i++ {
		ahead, to := d.Ahead[all[i].FeedURL], all[i].last()
		step := feed.HubStep{From: d.Cursor, To: to, FeedURL: all[i].FeedURL, AheadFrom: ahead}
		if feed.SignalLess(to, ahead) {
			step.AheadTo = ahead
		}
		// The cursor moves over other news with the next.
		if wanted := targets[all[i].FeedURL]; len(wanted) > 0 || step.AheadFrom != step.AheadTo || i == len(all)-1 {
			ok = d.step(ctx, step, all[i], wanted) && d.overtake(ctx)
		}
	}
	return ok && ctx.Err() == nil
}

// read reads the news after an id, and reports whether there are no more. It reports false if ctx has ended.
func (d *distributor) read(ctx context.Context, after string, limit int, wait time.Duration) (all []News, complete, ok bool) {
	signals, ok := patiently(ctx, d.Engine, "the outbox is not read", func(ctx context.Context) ([]feed.Signal, error) {
		return d.store.BareSignals(ctx, after, limit, wait)
	})
	all, complete = groupByDocument(signals), len(signals) < limit
	if len(all) > 1 && !complete {
		all = all[:len(all)-1] // the last document may have more signals
	}
	return all, complete, ok
}

// target is a topic and the outlet that makes its distributions.
type target struct {
	topic  string
	outlet *Outlet
}

// targets returns the targets with subscribers by feed URL. It reports false if ctx has ended.
func (d *distributor) targets(ctx context.Context, all []News) (map[string][]target, bool) {
	if len(all) == 0 {
		return nil, true
	}
	filters, ok := d.filterTopics(ctx)
	if !ok {
		return nil, false
	}
	bySource := make(map[string][]target)
	var topics []string
	for _, n := range all {
		if bySource[n.FeedURL] != nil {
			continue
		}
		for o := range d.outlets {
			for _, topic := range d.outlets[o].topics(n.FeedURL, filters) {
				topics = append(topics, topic)
				bySource[n.FeedURL] = append(bySource[n.FeedURL], target{topic, &d.outlets[o]})
			}
		}
	}
	subscribed, ok := d.haveSubscribers(ctx, topics)
	for url, all := range bySource {
		if bySource[url] = slices.DeleteFunc(all, func(t target) bool { return !subscribed[t.topic] }); len(bySource[url]) == 0 {
			delete(bySource, url)
		}
	}
	return bySource, ok
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

// step distributes news to targets and makes a step. Targets of the source alone get no signals twice that are ahead of the cursor.
// It reports false if the progress has to be read again.
func (d *distributor) step(ctx context.Context, step feed.HubStep, news News, targets []target) bool {
	if !d.redact(ctx, news, targets) {
		return false
	}
	fresh := news.after(step.AheadFrom)
	var all, deleted []feed.Distribution
	for _, t := range targets {
		n := fresh
		if t.outlet.Shared {
			n = news
		}
		if len(n.Signals) == 0 || !n.ofSource() && !t.outlet.Filters {
			continue
		}
		made, ok := patiently(ctx, d.Engine, "news is not distributed", func(ctx context.Context) ([]feed.Distribution, error) {
			return d.make(ctx, t, n)
		})
		if !ok {
			return false
		}
		if len(made) == 0 && slices.ContainsFunc(n.Signals, isTakedown) { // no version replaces the one that may have the post
			deleted = append(deleted, feed.Distribution{Topic: t.topic})
		}
		all = append(all, made...)
	}
	if _, ok := patiently(ctx, d.Engine, "news is not distributed", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, d.store.Distribute(ctx, step, slices.Concat(all, deleted))
	}); !ok {
		return false
	}
	d.Cursor = step.To
	if step.AheadTo != "" {
		d.Ahead[step.FeedURL] = step.AheadTo
	} else {
		delete(d.Ahead, step.FeedURL)
	}
	if len(all) > 0 {
		d.metrics.distributions.Add(float64(len(all)))
		d.queueNews()
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
