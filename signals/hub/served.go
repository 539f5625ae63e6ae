package hub

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// Served is a topic that is distributed as it is served, whenever that changes.
type Served struct {
	Topic string
	// Get gives the document as a reader gets it now, without counting as one.
	Get func(ctx context.Context) (feed.Distribution, error)
}

// distributeServed looks at the topics that are distributed as served, until ctx ends.
func (e *Engine) distributeServed(ctx context.Context) {
	for ctx.Err() == nil {
		served := e.terms().Served
		topics := make([]string, len(served))
		for i, s := range served {
			topics[i] = s.Topic
		}
		var have []bool
		if len(served) == 0 {
			await(ctx, nil, e.opts.ServedEvery)
			continue
		}
		e.retry(ctx, "subscribers are not looked for", func(ctx context.Context) (err error) {
			have, err = e.store.HaveSubscribers(ctx, topics)
			return err
		})
		for i, wanted := range have {
			if !wanted {
				continue
			}
			call, cancel := context.WithTimeout(ctx, callTime)
			made, err := e.look(call, &served[i])
			cancel()
			if made {
				e.metrics.distributions.Inc()
				wake(e.planning)
			}
			if err != nil && ctx.Err() == nil {
				e.opts.Logger.Warn("feed not distributed, trying again", "feed", topics[i], "err", err)
			}
		}
		await(ctx, nil, e.opts.ServedEvery)
	}
}

// look distributes a topic if its document has changed, and reports whether it did.
func (e *Engine) look(ctx context.Context, s *Served) (made bool, err error) {
	defer e.rescue(&err)
	d, err := s.Get(ctx)
	if err != nil {
		return false, err
	}
	d.Topic, d.Whole = s.Topic, true
	return e.store.DistributeServed(ctx, d)
}
